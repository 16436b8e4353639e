//! A private PostgreSQL cluster: made by `initdb`, reached by a unix socket alone, and run as an
//! ordinary account even when root calls.
//!
//! `tpcc demo` leaves its cluster running for the user to look around in; the tests stop theirs.

mod account;
mod binaries;
pub mod config;
mod place;
mod postmaster;
mod server;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

pub use account::Account;
pub use binaries::Binaries;
use config::ClusterConfig;
pub use place::Place;
pub use postmaster::Shutdown;
pub use server::Start;

/// The superuser of every private cluster, whichever account runs it.
pub const SUPERUSER: &str = "postgres";

/// A private cluster: an installation, a folder, an account and settings. Nothing happens to it before
/// [`Cluster::start`].
#[derive(Clone, Debug)]
pub struct Cluster {
    binaries: Binaries,
    place: Place,
    account: Account,
    port: u16,
    settings: BTreeMap<String, String>,
}

impl Cluster {
    /// The cluster in the folder `dir`, of the kind that `config` describes.
    pub fn new(
        binaries: Binaries,
        dir: &Path,
        config: &ClusterConfig,
    ) -> Result<Cluster, ClusterError> {
        let place = Place::new(dir, config.port).map_err(|source| ClusterError::Folder {
            path: dir.into(),
            source,
        })?;
        Ok(Cluster {
            binaries,
            place,
            account: Account::for_server()?,
            port: config.port,
            settings: config.settings_for(config::memory_mb()),
        })
    }

    /// Sets one server setting; it takes effect at the next start.
    pub fn set(&mut self, name: &str, value: &str) {
        self.settings.insert(name.to_owned(), value.to_owned());
    }

    /// The installation.
    pub fn binaries(&self) -> &Binaries {
        &self.binaries
    }

    /// The folder and what is in it.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The account that runs the server.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// The number in the socket's file name.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The settings that the server gets on top of PostgreSQL's own, by name.
    pub fn settings(&self) -> &BTreeMap<String, String> {
        &self.settings
    }
}

/// Why a private cluster could not be made, started, stopped or removed.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// `pg_config` could not be run.
    #[error("cannot run {}: {source}; name a PostgreSQL by --pg-config", pg_config.display())]
    PgConfig {
        /// The program.
        pg_config: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It ran, but it is no PostgreSQL's.
    #[error("{} is no pg_config of PostgreSQL: it says \"{said}\"", pg_config.display())]
    NotPostgres {
        /// The program.
        pg_config: PathBuf,
        /// What it printed.
        said: String,
    },
    /// Only the client side of PostgreSQL is installed.
    #[error("{} belongs to a PostgreSQL without a server: there is no initdb in {}", pg_config.display(), bindir.display())]
    NoServer {
        /// The program.
        pg_config: PathBuf,
        /// The folder of programs that it names.
        bindir: PathBuf,
    },
    /// No PostgreSQL was found.
    #[error("no PostgreSQL server found (looked for: {places}); name one by --pg-config")]
    NoPostgres {
        /// The places that were tried.
        places: String,
    },
    /// Root called, and there is no account to run the server.
    #[error(
        "PostgreSQL does not run as root, and there is no account postgres or nobody to run it"
    )]
    NoAccount,
    /// The folder holds something else.
    #[error("{} is somebody else's or holds something else: choose another folder", dir.display())]
    ForeignFolder {
        /// The folder.
        dir: PathBuf,
    },
    /// There is nothing to stop or to remove.
    #[error("there is no cluster of pg_tpcc in {}", dir.display())]
    NoCluster {
        /// The folder.
        dir: PathBuf,
    },
    /// The account cannot reach the folder.
    #[error("the account {account}, which runs the server, may not enter {}: choose another folder than {}, or run chmod a+x {}", folder.display(), dir.display(), folder.display())]
    ClosedFolder {
        /// The account.
        account: String,
        /// The folder that is closed.
        folder: PathBuf,
        /// The cluster's folder.
        dir: PathBuf,
    },
    /// The cluster belongs to another major version.
    #[error("the cluster in {} is of PostgreSQL {found}, the programs in {} are of {wanted}: remove it, or use another folder", dir.display(), bindir.display())]
    OtherMajor {
        /// The cluster's folder.
        dir: PathBuf,
        /// Its major.
        found: String,
        /// The programs' folder.
        bindir: PathBuf,
        /// Their major.
        wanted: u32,
    },
    /// A file or folder could not be made, read or removed.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The server does not stop.
    #[error("the server (process {pid}) of {} does not stop", data.display())]
    NotStopped {
        /// Its process id.
        pid: u32,
        /// Its data directory.
        data: PathBuf,
    },
    /// A program of PostgreSQL failed.
    #[error("{program} failed: {said}")]
    Program {
        /// The program's name.
        program: &'static str,
        /// The last lines of what it and the server's log say.
        said: String,
    },
}
