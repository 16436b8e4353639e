//! The password file, as libpq reads it: `host:port:database:user:password` a line, `*` for any.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The password that `PGPASSFILE` or `~/.pgpass` has for this connection; none from a file that
/// others may read, which libpq does not trust either.
pub(super) fn from_file(config: &Config) -> Option<String> {
    let path = std::env::var_os("PGPASSFILE")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".pgpass")))?;
    let metadata = fs::metadata(&path).ok()?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return None;
    }
    let host = match config.get_hosts().first()? {
        Host::Tcp(name) => name.clone(),
        Host::Unix(_) => "localhost".to_owned(),
    };
    let port = config.get_ports().first()?.to_string();
    let key = [&host, &port, config.get_dbname()?, config.get_user()?];
    find(&fs::read_to_string(&path).ok()?, &key)
}

fn find(text: &str, key: &[&str; 4]) -> Option<String> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| {
            let fields = split(line);
            let (password, pattern) = fields.split_last()?;
            let fits = pattern.len() == key.len()
                && pattern
                    .iter()
                    .zip(key)
                    .all(|(pattern, value)| pattern == "*" || pattern == value);
            fits.then(|| password.clone())
        })
}

/// Splits at colons; a backslash takes the next character as it is.
fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let literal = match character {
            '\\' => characters.next(),
            ':' => {
                fields.push(String::new());
                continue;
            }
            other => Some(other),
        };
        fields.last_mut().expect("never empty").extend(literal);
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let text = "# mine\nother:*:*:*:no\nhost:5432:*:ann:a\\:b\n*:*:*:*:last\n";
        assert_eq!(
            find(text, &["host", "5432", "shop", "ann"]),
            Some("a:b".into())
        );
        assert_eq!(
            find(text, &["host", "1", "shop", "ann"]),
            Some("last".into())
        );
        assert_eq!(find("host:1:2\n", &["host", "1", "2", "3"]), None);
    }
}
