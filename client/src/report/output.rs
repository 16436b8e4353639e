//! Result files: opened before the measuring starts, and written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that a result will be written to.
///
/// Until [`OutputFile::write`] nothing is at its path but what was there before: the bytes go to a file
/// beside it, which takes its place when they are all on disk.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    draft: PathBuf,
    file: Option<File>,
}

/// Why a result file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct OutputError {
    path: PathBuf,
    source: io::Error,
}

impl OutputFile {
    /// Makes sure that the file can be written.
    ///
    /// # Errors
    /// When it cannot: no such folder, no right, a folder of that name.
    pub fn open(path: &Path) -> Result<OutputFile, OutputError> {
        let failed = |source| OutputError {
            path: path.to_owned(),
            source,
        };
        if path.is_dir() {
            return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        if path.exists() && !is_regular(path) {
            // A pipe or a device, such as /dev/stdout: nothing to be kept there.
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return Ok(OutputFile {
                path: path.to_owned(),
                draft: path.to_owned(),
                file: Some(file),
            });
        }
        if path.exists() {
            // A file that may not be changed is not replaced either.
            OpenOptions::new().append(true).open(path).map_err(failed)?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&draft)
            .map_err(failed)?;
        Ok(OutputFile {
            path: path.to_owned(),
            draft,
            file: Some(file),
        })
    }

    /// Writes the result and puts it in its place.
    ///
    /// # Errors
    /// When the disk is full, for instance; what was at the path before is still there then.
    pub fn write(mut self, bytes: &[u8]) -> Result<(), OutputError> {
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        let written = file.write_all(bytes).and_then(|()| {
            if self.draft == self.path {
                return file.flush();
            }
            file.sync_all()?;
            fs::rename(&self.draft, &self.path)
        });
        written.map_err(|source| {
            self.discard();
            OutputError {
                path: self.path.clone(),
                source,
            }
        })
    }

    fn discard(&self) {
        if self.draft != self.path {
            // It may be gone already.
            let _ = fs::remove_file(&self.draft);
        }
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if self.file.is_some() {
            self.discard();
        }
    }
}

fn is_regular(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("tpcc-output-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_result_replaces_the_file_only_when_it_is_whole() {
        let folder = folder("whole");
        let path = folder.join("a.json");
        fs::write(&path, "before").unwrap();
        let output = OutputFile::open(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        drop(output);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        OutputFile::open(&path).unwrap().write(b"after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_named_at_once() {
        let error = OutputFile::open(Path::new("/nowhere/at/all.json")).unwrap_err();
        assert!(
            error.to_string().contains("/nowhere/at/all.json"),
            "{error}"
        );
        assert!(OutputFile::open(&std::env::temp_dir()).is_err());
    }
}
