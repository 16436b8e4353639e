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
    place: Place,
}

/// How a result gets to its path.
#[derive(Debug)]
enum Place {
    /// By way of a file beside it, which is made when it is written, so that a process that is killed
    /// meanwhile leaves none.
    Beside(PathBuf),
    /// At once: into a pipe or a device, such as /dev/stdout.
    Open(File),
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
        let place = place(path).map_err(|source| OutputError {
            path: path.to_owned(),
            source,
        })?;
        Ok(OutputFile {
            path: path.to_owned(),
            place,
        })
    }

    /// Writes the result and puts it in its place.
    ///
    /// # Errors
    /// When the disk is full, for instance; what was at the path before is still there then.
    pub fn write(self, bytes: &[u8]) -> Result<(), OutputError> {
        let written = match self.place {
            Place::Open(mut file) => file.write_all(bytes).and_then(|()| file.flush()),
            Place::Beside(target) => replace(&target, bytes),
        };
        written.map_err(|source| OutputError {
            path: self.path,
            source,
        })
    }
}

fn place(path: &Path) -> io::Result<Place> {
    // A link stays a link: the file that it leads to is replaced.
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    if target.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if target.exists() {
        // A file that may not be changed is not replaced either.
        let file = OpenOptions::new().append(true).open(&target)?;
        if !file.metadata()?.is_file() {
            return Ok(Place::Open(file));
        }
    }
    let draft = draft(&target);
    create(&draft)?;
    fs::remove_file(&draft)?;
    Ok(Place::Beside(target))
}

fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = draft(target);
    let written = create(&draft).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, target)
    });
    if written.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&draft);
    }
    written
}

fn draft(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

fn create(draft: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(draft)
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
        let link = folder.join("link.json");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        OutputFile::open(&link).unwrap().write(b"linked").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "linked");
        assert!(link.is_symlink());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
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
