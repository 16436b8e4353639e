//! Service files: connection parameters under a name (`pg_service.conf`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{ConnectError, keyword};

/// The files that are looked through for a service, the first one first.
pub(super) struct ServiceFiles {
    /// The one that the user named, who expects it to be there.
    pub named: Option<PathBuf>,
    /// Those of the user and of the system, which need not exist.
    pub usual: Vec<PathBuf>,
}

impl ServiceFiles {
    /// What the service says.
    ///
    /// # Errors
    /// No file defines it, or one is malformed.
    pub(super) fn find(&self, service: &str) -> Result<Vec<(String, String)>, ConnectError> {
        if let Some(path) = &self.named
            && !path.exists()
        {
            return Err(ConnectError::Parameter(format!(
                "service file {} not found (PGSERVICEFILE or servicefile names it)",
                path.display()
            )));
        }
        let files: Vec<&PathBuf> = self.named.iter().chain(&self.usual).collect();
        for path in &files {
            let text = match fs::read_to_string(path) {
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    return Err(ConnectError::Parameter(format!(
                        "cannot read the service file {}: {error}",
                        path.display()
                    )));
                }
            };
            if let Some(found) = section(&text, service, path)? {
                return Ok(found);
            }
        }
        let places: Vec<_> = files
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        Err(ConnectError::Parameter(format!(
            "service \"{service}\" is defined nowhere: expected a section [{service}] in {}",
            places.join(" or ")
        )))
    }
}

fn section(
    text: &str,
    service: &str,
    path: &Path,
) -> Result<Option<Vec<(String, String)>>, ConnectError> {
    let mut found: Option<Vec<(String, String)>> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            if found.is_some() {
                break;
            }
            if name.strip_suffix(']') == Some(service) {
                found = Some(Vec::new());
            }
            continue;
        }
        let Some(pairs) = &mut found else { continue };
        let origin = format!("line {} of the service file {}", number + 1, path.display());
        let Some((name, value)) = line.split_once('=') else {
            return Err(ConnectError::Parameter(format!(
                "{origin} is no keyword=value"
            )));
        };
        if name == "service" || name == "servicefile" {
            return Err(ConnectError::Parameter(format!(
                "{origin} names another service, which a service may not"
            )));
        }
        keyword::check_name(name, &origin)?;
        // Said twice, the first counts.
        if !pairs.iter().any(|(earlier, _)| earlier == name) {
            pairs.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# ours\n[other]\nhost=no\n\n[shop]\nhost=db\npassword=a=b c\nhost=late\n[after]\nbad\n";

    fn read(service: &str) -> Result<Option<Vec<(String, String)>>, ConnectError> {
        section(TEXT, service, Path::new("f"))
    }

    #[test]
    fn a_section_is_read_as_it_stands() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            read("shop").unwrap().unwrap(),
            [pair("host", "db"), pair("password", "a=b c")]
        );
        assert_eq!(read("none").unwrap(), None);
    }

    #[test]
    fn what_is_wrong_names_line_and_file() {
        let message = read("after").unwrap_err().to_string();
        assert!(
            message.contains("line 10 of the service file f"),
            "{message}"
        );
        let nested = section("[a]\nservice=b\n", "a", Path::new("f"));
        assert!(nested.unwrap_err().to_string().contains("another service"));
    }
}
