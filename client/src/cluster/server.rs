//! Making, starting, stopping and removing a private cluster.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use super::place::{Place, remove_if_there};
use super::postmaster::{self, Shutdown};
use super::{Account, Cluster, ClusterError, SUPERUSER};

/// The file in the data directory with our settings; rewritten at every start.
const SETTINGS_FILE: &str = "pg_tpcc.conf";
/// How long the server may take to start, in seconds; recovery after a crash counts.
const START_LIMIT_S: &str = "120";
/// How much of a log an error message shows.
const LOG_LINES: usize = 12;

/// What [`Cluster::start`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// There was no cluster: it was made and started.
    Created,
    /// It was there, and was started.
    Started,
    /// It was already running.
    Running,
}

impl Cluster {
    /// Makes the cluster if it is not there, and starts its server unless it runs already. A server
    /// that runs from another installation of the same major is restarted from this one.
    pub fn start(&self) -> Result<Start, ClusterError> {
        self.place().prepare(self.account())?;
        let lock_path = self.place().dir().join("lock");
        let io = |source| ClusterError::Folder {
            path: lock_path.clone(),
            source,
        };
        // Two calls at once would run initdb twice.
        let lock = fs::File::create(&lock_path).map_err(io)?;
        lock.lock().map_err(io)?;

        let created = !self.place().data().join("PG_VERSION").exists();
        if created {
            self.initdb()?;
        }
        self.check_major()?;
        if let Some(pid) = self.postmaster_pid() {
            if self.runs_our_binaries(pid) {
                return Ok(Start::Running);
            }
            self.stop(Shutdown::Fast)?;
        }
        postmaster::drop_stale_locks(self.place(), self.port())?;
        self.write_settings()?;
        self.pg_ctl_start()?;
        Ok(if created {
            Start::Created
        } else {
            Start::Started
        })
    }

    /// Stops the server and waits until it is gone; fine when it does not run.
    pub fn stop(&self, how: Shutdown) -> Result<(), ClusterError> {
        postmaster::stop(&self.place().data(), self.account(), how)
    }

    /// Stops the server of the cluster in this place, whichever installation it runs from, and leaves
    /// the files. Refuses a folder that is not ours.
    pub fn stop_at(place: &Place) -> Result<(), ClusterError> {
        if !place.is_ours() {
            return Err(ClusterError::NoCluster {
                dir: place.dir().into(),
            });
        }
        postmaster::stop(&place.data(), &Account::for_server()?, Shutdown::Fast)
    }

    /// Stops the server and removes all files of the cluster in this place. Refuses a folder that is
    /// not ours.
    pub fn remove_at(place: &Place) -> Result<(), ClusterError> {
        if !place.is_ours() {
            return Err(ClusterError::NoCluster {
                dir: place.dir().into(),
            });
        }
        postmaster::stop(&place.data(), &Account::for_server()?, Shutdown::Immediate)?;
        place.remove()
    }

    /// The server's process id, when it runs.
    pub fn postmaster_pid(&self) -> Option<u32> {
        postmaster::pid(&self.place().data())
    }

    fn runs_our_binaries(&self, pid: u32) -> bool {
        let ours = self.binaries().program("postgres").canonicalize();
        // Where the system does not tell, the server is not ours to restart either.
        postmaster::program(pid).is_none_or(|program| ours.is_ok_and(|ours| ours == program))
    }

    fn initdb(&self) -> Result<(), ClusterError> {
        let unfinished = self.place().unfinished_data();
        remove_if_there(&unfinished)?;
        let mut command = self.account().command(self.binaries().program("initdb"));
        command.arg("-D").arg(&unfinished);
        command.args([
            "-U",
            SUPERUSER,
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
        ]);
        if self
            .settings()
            .get("fsync")
            .is_some_and(|fsync| fsync == "off")
        {
            command.arg("--no-sync");
        }
        run("initdb", command, None)?;

        let path = unfinished.join("postgresql.conf");
        let include = fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| writeln!(file, "\ninclude '{SETTINGS_FILE}'"))
            .and_then(|()| fs::rename(&unfinished, self.place().data()));
        include.map_err(|source| ClusterError::Folder { path, source })
    }

    fn check_major(&self) -> Result<(), ClusterError> {
        let path = self.place().data().join("PG_VERSION");
        let found =
            fs::read_to_string(&path).map_err(|source| ClusterError::Folder { path, source })?;
        if found.trim() == self.binaries().major().to_string() {
            return Ok(());
        }
        Err(ClusterError::OtherMajor {
            dir: self.place().dir().into(),
            found: found.trim().to_owned(),
            bindir: self.binaries().bindir().into(),
            wanted: self.binaries().major(),
        })
    }

    fn write_settings(&self) -> Result<(), ClusterError> {
        let mut text = String::from("# Written by pg_tpcc at every start of this cluster.\n");
        let place = self.place();
        let own = [
            ("listen_addresses", String::new()),
            ("port", self.port().to_string()),
            (
                "unix_socket_directories",
                place.socket_dir().display().to_string(),
            ),
        ];
        let own = own.iter().map(|(name, value)| (*name, value.as_str()));
        let others = self
            .settings()
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in own.chain(others) {
            text.push_str(&format!("{name} = '{}'\n", value.replace('\'', "''")));
        }
        let path = place.data().join(SETTINGS_FILE);
        fs::write(&path, text)
            .and_then(|()| self.account().take(&path))
            .map_err(|source| ClusterError::Folder { path, source })
    }

    fn pg_ctl_start(&self) -> Result<(), ClusterError> {
        let mut command = self.account().command(self.binaries().program("pg_ctl"));
        command.arg("start").arg("-D").arg(self.place().data());
        command
            .arg("-l")
            .arg(self.place().log())
            .args(["-w", "-t", START_LIMIT_S]);
        run("pg_ctl start", command, Some(&self.place().log()))
    }
}

fn run(
    program: &'static str,
    mut command: Command,
    log: Option<&Path>,
) -> Result<(), ClusterError> {
    let failed = |said: String| ClusterError::Program { program, said };
    let output = command
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let mut said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if let Some(text) = log.and_then(|log| fs::read_to_string(log).ok()) {
        let lines: Vec<&str> = text.lines().collect();
        for line in &lines[lines.len().saturating_sub(LOG_LINES)..] {
            said.push_str("\n  ");
            said.push_str(line);
        }
    }
    Err(failed(said))
}
