//! The server process of a data directory: found by its pid file, and by its command line, because a
//! number alone may be somebody else's by now.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::ClusterError;
use super::account::Account;
use super::place::Place;

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

fn pid_in(lock: &Path) -> Option<u32> {
    fs::read_to_string(lock)
        .ok()?
        .lines()
        .next()?
        .trim()
        .parse()
        .ok()
}

/// The process that serves this data directory, if there is one.
pub(super) fn pid(data: &Path) -> Option<u32> {
    pid_in(&pid_file(data)).filter(|&pid| serves(pid, data))
}

/// The program file of a process; `None` where the system does not tell.
pub(super) fn program(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// Removes what a dead server has left that PostgreSQL would take for a living one: a pid file and a
/// socket's lock whose number has gone to another process, or to a dead one that nobody has buried
/// (a container's first process often does not). Where there is no such process at all PostgreSQL
/// looks at more than the number before it starts, so the files stay.
///
/// To be called when no server serves the data directory, by the owner of the socket's folder.
pub(super) fn drop_stale_locks(place: &Place, port: u16) -> Result<(), ClusterError> {
    let data = place.data();
    let locks = [
        pid_file(&data),
        place.socket_dir().join(format!(".s.PGSQL.{port}.lock")),
    ];
    let stale = locks
        .iter()
        .filter(|lock| pid_in(lock).is_some_and(|pid| arguments(pid).is_some()));
    for lock in stale {
        // With the file goes PostgreSQL's own way to notice that the old server's children still work.
        wait_for_children(&data)?;
        fs::remove_file(lock).map_err(|source| ClusterError::Folder {
            path: lock.clone(),
            source,
        })?;
    }
    Ok(())
}

/// Waits until no process has the data directory as its working folder, as all of PostgreSQL's do.
fn wait_for_children(data: &Path) -> Result<(), ClusterError> {
    let start = Instant::now();
    while let Some(pid) = process_in(data) {
        if start.elapsed() > SHUTDOWN_LIMIT {
            return Err(ClusterError::NotStopped {
                pid,
                data: data.into(),
            });
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}

fn process_in(folder: &Path) -> Option<u32> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    processes
        .filter(|process| fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        .find_map(|process| process.file_name().to_str()?.parse().ok())
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
    fn locks_with_the_number_of_another_program_are_no_servers() {
        let dir = std::env::temp_dir().join(format!("pg_tpcc-pid-{}", std::process::id()));
        let place = Place::new(&dir, 7).unwrap();
        fs::create_dir_all(place.data()).unwrap();
        fs::create_dir_all(place.socket_dir()).unwrap();
        let socket_lock = place.socket_dir().join(".s.PGSQL.7.lock");
        for lock in [pid_file(&place.data()), socket_lock.clone()] {
            fs::write(lock, format!("{}\n", std::process::id())).unwrap();
        }
        assert_eq!(pid(&place.data()), None);
        drop_stale_locks(&place, 7).unwrap();
        assert!(!pid_file(&place.data()).exists());
        assert!(!socket_lock.exists());
        fs::remove_dir_all(&dir).unwrap();
    }
}
