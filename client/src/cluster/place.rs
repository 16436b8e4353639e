//! The folder of a private cluster: what is where in it, and proof that it is one.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::ClusterError;
use super::account::Account;

/// A socket's path must fit into `sockaddr_un`, with its closing zero byte.
const SOCKET_PATH_MAX: usize = 107;
/// The file that says that a folder is ours, without which nothing is removed.
const MARKER: &str = "pg_tpcc-cluster.txt";
const MARKER_TEXT: &str = "This folder is a private PostgreSQL cluster of pg_tpcc.\n";

/// The paths of one private cluster.
#[derive(Clone, Debug)]
pub struct Place {
    dir: PathBuf,
    socket_dir: PathBuf,
}

impl Place {
    /// The cluster in this folder, whose socket carries this port in its name.
    pub fn new(dir: &Path, port: u16) -> io::Result<Place> {
        let dir = std::path::absolute(dir)?;
        let inside = dir.join("socket");
        let name_len = format!("/.s.PGSQL.{port}").len();
        let fits = inside.as_os_str().len() + name_len <= SOCKET_PATH_MAX;
        let socket_dir = if fits {
            inside
        } else {
            PathBuf::from(format!(
                "/tmp/pg_tpcc-{:016x}",
                fnv1a(dir.as_os_str().as_bytes())
            ))
        };
        Ok(Place { dir, socket_dir })
    }

    /// The whole folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The server's data directory.
    pub fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// Where `initdb` works; it becomes [`Place::data`] when it is complete.
    pub(super) fn unfinished_data(&self) -> PathBuf {
        self.dir.join("data.unfinished")
    }

    /// The server's log file.
    pub fn log(&self) -> PathBuf {
        self.dir.join("postgres.log")
    }

    /// The folder of the server's socket: inside the cluster's folder, or under `/tmp` when the path
    /// would be too long for a socket.
    pub fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    /// Whether there is a cluster of ours here.
    pub fn is_ours(&self) -> bool {
        self.dir.join(MARKER).is_file()
    }

    /// Makes the folders, for the account alone.
    pub(super) fn prepare(&self, account: &Account) -> Result<(), ClusterError> {
        if !self.is_ours()
            && self
                .dir
                .read_dir()
                .is_ok_and(|mut files| files.next().is_some())
        {
            return Err(ClusterError::ForeignFolder {
                dir: self.dir.clone(),
            });
        }
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |source| ClusterError::Folder { path, source }
        };
        // In a folder that all may write to, somebody else could have laid it ready for us.
        if self.dir.exists() && !account.may_take(&self.dir).map_err(io(&self.dir))? {
            return Err(ClusterError::ForeignFolder {
                dir: self.dir.clone(),
            });
        }
        if let Some(folder) = account.first_closed_folder(&self.dir) {
            return Err(ClusterError::ClosedFolder {
                account: account.name().to_owned(),
                folder,
                dir: self.dir.clone(),
            });
        }
        fs::create_dir_all(&self.dir).map_err(io(&self.dir))?;
        account.take(&self.dir).map_err(io(&self.dir))?;
        let marker = self.dir.join(MARKER);
        fs::write(&marker, MARKER_TEXT).map_err(io(&marker))?;
        self.prepare_socket_dir(account)
    }

    fn prepare_socket_dir(&self, account: &Account) -> Result<(), ClusterError> {
        let dir = &self.socket_dir;
        let io = |source| ClusterError::Folder {
            path: dir.clone(),
            source,
        };
        match fs::create_dir(dir) {
            Ok(()) => account.take(dir).map_err(io)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io(error)),
        }
        // Anyone may have made a folder of this name under /tmp before us.
        if !account.owns(dir).map_err(io)? {
            return Err(ClusterError::ForeignFolder { dir: dir.clone() });
        }
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).map_err(io)
    }

    /// Removes all files of the cluster, which must not run any more.
    pub(super) fn remove(&self) -> Result<(), ClusterError> {
        if !self.is_ours() {
            return Err(ClusterError::NoCluster {
                dir: self.dir.clone(),
            });
        }
        if !self.socket_dir.starts_with(&self.dir) {
            remove_if_there(&self.socket_dir)?;
        }
        remove_if_there(&self.dir)
    }
}

/// Removes a folder with all that is in it, if it exists.
pub(super) fn remove_if_there(path: &Path) -> Result<(), ClusterError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ClusterError::Folder {
            path: path.into(),
            source: error,
        }),
        _ => Ok(()),
    }
}

/// A hash that is the same in every process and version, so that the socket is found again.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_lies_inside_when_its_path_fits() {
        let place = Place::new(Path::new("/var/tmp/demo"), 5432).unwrap();
        assert_eq!(place.socket_dir(), Path::new("/var/tmp/demo/socket"));
    }

    #[test]
    fn a_long_folder_gets_a_short_socket_that_is_always_the_same() {
        let long = PathBuf::from(format!("/{}", "d".repeat(100)));
        let place = Place::new(&long, 54329).unwrap();
        assert!(place.socket_dir().starts_with("/tmp"));
        assert!(place.socket_dir().as_os_str().len() + "/.s.PGSQL.54329".len() <= SOCKET_PATH_MAX);
        assert_eq!(
            place.socket_dir(),
            Place::new(&long, 54329).unwrap().socket_dir()
        );
    }

    #[test]
    fn a_folder_without_the_marker_is_never_removed() {
        let dir = std::env::temp_dir().join(format!("pg_tpcc-place-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("precious"), "").unwrap();
        let place = Place::new(&dir, 1).unwrap();
        assert!(matches!(
            place.remove(),
            Err(ClusterError::NoCluster { .. })
        ));
        assert!(dir.join("precious").exists());
        fs::remove_dir_all(&dir).unwrap();
    }
}
