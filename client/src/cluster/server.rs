//! Making, starting, stopping and removing the server of a private cluster.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use super::place::remove_if_there;
use super::{Cluster, ClusterError, SUPERUSER};

/// The file in the data directory with our settings; rewritten at every start.
const SETTINGS_FILE: &str = "pg_tpcc.conf";
/// How long the server may take to start or stop, in seconds; recovery after a crash counts.
const PATIENCE_S: &str = "120";
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

/// How [`Cluster::stop`] treats open sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Sessions are ended, then a checkpoint is written.
    Fast,
    /// As a crash: the next start recovers.
    Immediate,
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
        self.drop_recycled_pid_file()?;
        self.write_settings()?;
        self.pg_ctl("start", &["-l".as_ref(), self.place().log().as_ref()])?;
        Ok(if created {
            Start::Created
        } else {
            Start::Started
        })
    }

    /// Stops the server and waits until it is gone; fine when it does not run.
    pub fn stop(&self, how: Shutdown) -> Result<(), ClusterError> {
        if self.postmaster_pid().is_none() {
            return Ok(());
        }
        let mode = match how {
            Shutdown::Fast => "fast",
            Shutdown::Immediate => "immediate",
        };
        match self.pg_ctl("stop", &["-m".as_ref(), mode.as_ref()]) {
            // It may have gone by itself meanwhile.
            Err(_) if self.postmaster_pid().is_none() => Ok(()),
            result => result,
        }
    }

    /// Stops the server and removes all files of the cluster. Refuses a folder that is not ours.
    pub fn remove(&self) -> Result<(), ClusterError> {
        if self.place().is_ours() {
            self.stop(Shutdown::Immediate)?;
        }
        self.place().remove()
    }

    /// Whether the server runs.
    pub fn is_running(&self) -> bool {
        self.postmaster_pid().is_some()
    }

    /// The postmaster's process id, if the pid file names a process that serves this data directory.
    pub fn postmaster_pid(&self) -> Option<u32> {
        let pid = self.pid_in_file()?;
        let data = self.place().data();
        match command_line(pid) {
            Some(arguments) => arguments
                .iter()
                .any(|argument| Path::new(argument) == data)
                .then_some(pid),
            None if Path::new("/proc/self").exists() => None,
            None => {
                let status = self
                    .account()
                    .command(self.binaries().program("pg_ctl"))
                    .arg("status")
                    .arg("-D")
                    .arg(&data)
                    .output();
                status
                    .is_ok_and(|output| output.status.success())
                    .then_some(pid)
            }
        }
    }

    fn pid_in_file(&self) -> Option<u32> {
        let text = fs::read_to_string(self.place().data().join("postmaster.pid")).ok()?;
        text.lines().next()?.trim().parse().ok()
    }

    fn runs_our_binaries(&self, pid: u32) -> bool {
        match fs::read_link(format!("/proc/{pid}/exe")) {
            Ok(exe) => self
                .binaries()
                .program("postgres")
                .canonicalize()
                .is_ok_and(|ours| ours == exe),
            // Nobody but the owner and root may ask; then it cannot be ours to restart either.
            Err(_) => true,
        }
    }

    /// After a crash another process may have got the number in the pid file, and PostgreSQL would
    /// take it for the old server. Where the process is gone PostgreSQL looks at more than the number,
    /// so the file stays.
    fn drop_recycled_pid_file(&self) -> Result<(), ClusterError> {
        let recycled = self
            .pid_in_file()
            .is_some_and(|pid| command_line(pid).is_some());
        if recycled {
            let path = self.place().data().join("postmaster.pid");
            fs::remove_file(&path).map_err(|source| ClusterError::Folder { path, source })?;
        }
        Ok(())
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

    fn pg_ctl(&self, verb: &str, flags: &[&std::ffi::OsStr]) -> Result<(), ClusterError> {
        let mut command = self.account().command(self.binaries().program("pg_ctl"));
        command.arg(verb).arg("-D").arg(self.place().data());
        command.args(["-w", "-t", PATIENCE_S]).args(flags);
        run("pg_ctl", command, Some(&self.place().log()))
    }
}

/// The arguments of a process, where the system tells them.
fn command_line(pid: u32) -> Option<Vec<String>> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.split('\0').map(str::to_owned).collect())
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
