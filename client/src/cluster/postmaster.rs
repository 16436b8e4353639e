//! The server process of a data directory: found by its pid file, and by its command line, because a
//! number alone may be somebody else's by now.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::ClusterError;
use super::account::Account;

const POLL: Duration = Duration::from_millis(20);
/// A shutdown writes a checkpoint, which takes a while on a slow disk.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(120);

/// How a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Sessions are ended, then a checkpoint is written.
    Fast,
    /// As a crash: the next start recovers.
    Immediate,
}

/// The file with the process id in its first line.
fn pid_file(data: &Path) -> PathBuf {
    data.join("postmaster.pid")
}

fn pid_in_file(data: &Path) -> Option<u32> {
    fs::read_to_string(pid_file(data))
        .ok()?
        .lines()
        .next()?
        .trim()
        .parse()
        .ok()
}

/// The process that serves this data directory, if there is one.
pub(super) fn pid(data: &Path) -> Option<u32> {
    pid_in_file(data).filter(|&pid| serves(pid, data))
}

/// The program file of a process; `None` where the system does not tell.
pub(super) fn program(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// Removes a pid file whose number has gone to another process, which PostgreSQL would take for the
/// old server. Where there is no such process at all PostgreSQL looks at more than the number before
/// it starts, so the file stays.
pub(super) fn drop_recycled_pid_file(data: &Path) -> Result<(), ClusterError> {
    let alive = pid_in_file(data).filter(|&pid| arguments(pid).is_some());
    if alive.is_none_or(|pid| serves(pid, data)) {
        return Ok(());
    }
    let path = pid_file(data);
    fs::remove_file(&path).map_err(|source| ClusterError::Folder { path, source })
}

/// Stops the server of this data directory and waits until it is gone; fine when there is none.
pub(super) fn stop(data: &Path, account: &Account, how: Shutdown) -> Result<(), ClusterError> {
    let Some(pid) = pid(data) else { return Ok(()) };
    let signal = match how {
        Shutdown::Fast => "-INT",
        Shutdown::Immediate => "-QUIT",
    };
    // It may be gone by now; then the signal fails and there is nothing to wait for.
    let sent = account
        .command("kill")
        .arg(signal)
        .arg(pid.to_string())
        .output();
    let start = Instant::now();
    while serves(pid, data) {
        let given_up = start.elapsed() > SHUTDOWN_LIMIT;
        if given_up || !sent.as_ref().is_ok_and(|output| output.status.success()) {
            return Err(ClusterError::NotStopped {
                pid,
                data: data.into(),
            });
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}

fn serves(pid: u32, data: &Path) -> bool {
    arguments(pid).is_some_and(|arguments| arguments.iter().any(|word| Path::new(word) == data))
}

/// The words of a process's command line; `None` when there is no such process.
fn arguments(pid: u32) -> Option<Vec<String>> {
    if Path::new("/proc/self").exists() {
        let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        return Some(
            String::from_utf8_lossy(&bytes)
                .split('\0')
                .map(str::to_owned)
                .collect(),
        );
    }
    let ps = Command::new("ps")
        .args(["-o", "args=", "-p", &pid.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&ps.stdout).into_owned();
    ps.status
        .success()
        .then(|| text.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pid_that_belongs_to_another_program_is_no_server() {
        let data = std::env::temp_dir().join(format!("pg_tpcc-pid-{}", std::process::id()));
        fs::create_dir_all(&data).unwrap();
        fs::write(
            pid_file(&data),
            format!("{}\n{}\n", std::process::id(), data.display()),
        )
        .unwrap();
        assert_eq!(pid(&data), None);
        drop_recycled_pid_file(&data).unwrap();
        assert!(!pid_file(&data).exists());
        fs::remove_dir_all(&data).unwrap();
    }
}
