//! The account that a private server runs as: PostgreSQL refuses to run as root.

use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::ClusterError;

/// The accounts that root may hand the server to, the best first.
const CANDIDATES: [&str; 2] = ["postgres", "nobody"];

/// An account that owns and runs private clusters.
#[derive(Clone, Debug)]
pub struct Account {
    name: String,
    uid: u32,
    gid: u32,
    /// Whether this process has to become the account, because it is root itself.
    switch: bool,
}

impl Account {
    /// The caller's own account, or for root `postgres`, else `nobody`.
    pub fn for_server() -> Result<Account, ClusterError> {
        let own = Account::named(None).ok_or(ClusterError::NoAccount)?;
        if own.uid != 0 {
            return Ok(own);
        }
        CANDIDATES
            .iter()
            .find_map(|name| Account::named(Some(name)))
            .map(|account| Account {
                switch: true,
                ..account
            })
            .ok_or(ClusterError::NoAccount)
    }

    fn named(name: Option<&str>) -> Option<Account> {
        let id = |flag: &str| {
            let output = Command::new("id").arg(flag).args(name).output().ok()?;
            let text = String::from_utf8(output.stdout).ok()?;
            output.status.success().then(|| text.trim().to_owned())
        };
        Some(Account {
            // A container may run under a number that has no name.
            name: id("-un").unwrap_or_else(|| id("-u").unwrap_or_default()),
            uid: id("-u")?.parse().ok()?,
            gid: id("-g")?.parse().ok()?,
            switch: false,
        })
    }

    /// The account's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the file or folder belongs to the account.
    pub fn owns(&self, path: &Path) -> io::Result<bool> {
        Ok(path.metadata()?.uid() == self.uid)
    }

    /// Whether the file or folder belongs to the account, or to root who hands it over.
    pub fn may_take(&self, path: &Path) -> io::Result<bool> {
        let uid = path.metadata()?.uid();
        Ok(uid == self.uid || (self.switch && uid == 0))
    }

    /// A command that runs as the account, in the root folder, without standard input and without the
    /// caller's PG* variables.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir("/").stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"PG") {
                command.env_remove(name);
            }
        }
        if self.switch {
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Gives a file or folder that this process has made to the account.
    pub fn take(&self, path: &Path) -> io::Result<()> {
        if self.switch {
            chown(path, Some(self.uid), Some(self.gid))
        } else {
            Ok(())
        }
    }

    /// The first folder on the way to `path` that the account may not enter.
    pub fn first_closed_folder(&self, path: &Path) -> Option<PathBuf> {
        let mut ways: Vec<&Path> = path.ancestors().filter(|way| way.is_dir()).collect();
        ways.reverse();
        ways.into_iter()
            .find(|way| !self.can_enter(way))
            .map(Path::to_path_buf)
    }

    fn can_enter(&self, folder: &Path) -> bool {
        self.command("test")
            .arg("-x")
            .arg(folder)
            .status()
            .is_ok_and(|status| status.success())
    }
}
