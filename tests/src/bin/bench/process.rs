//! What Linux tells about processes in `/proc`.

use std::fs;
use std::time::Duration;

/// Ticks of the times in `/proc/<pid>/stat` a second: the same in every Linux that matters.
const TICKS_PER_SECOND: u64 = 100;

/// The CPU times of a process.
struct Stat {
    parent: u32,
    own: Duration,
    /// Of its children that have ended and were waited for.
    reaped: Duration,
}

fn stat(pid: &str) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(&text)
}

fn parse_stat(text: &str) -> Option<Stat> {
    // The second field is the program's name in brackets, and may hold anything.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let time = |ticks: u64| Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND);
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        own: time(ticks(11)? + ticks(12)?),
        reaped: time(ticks(13)? + ticks(14)?),
    })
}

/// The processes of this parent, with their own CPU times.
fn children_with_times(parent: u32) -> Vec<(u32, Duration)> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names
        .filter_map(|name| {
            let pid = name.parse().ok()?;
            let stat = stat(&name)?;
            (stat.parent == parent).then_some((pid, stat.own))
        })
        .collect()
}

/// The processes of this parent.
pub fn children(parent: u32) -> Vec<u32> {
    let children = children_with_times(parent);
    children.into_iter().map(|(pid, _)| pid).collect()
}

/// The CPU time that a server has used since its start, with all its processes, those that have ended
/// too.
pub fn server_cpu(postmaster: u32) -> Duration {
    let children: Duration = children_with_times(postmaster).iter().map(|c| c.1).sum();
    let own = stat(&postmaster.to_string()).map_or(Duration::ZERO, |s| s.own + s.reaped);
    own + children
}

/// The CPU time of the processes that this one has started, and waited for.
pub fn reaped_cpu() -> Duration {
    stat("self").map_or(Duration::ZERO, |stat| stat.reaped)
}

/// The command line of a process, which PostgreSQL sets to what the process is.
pub fn title(pid: u32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The private memory of a process in KiB: pages of no file that it shares with nobody, so without
/// the server's shared memory.
pub fn private_kib(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_brackets_in_its_name_is_read() {
        let text = "7 (odd) name)) S 5 7 7 0 -1 0 0 0 0 0 150 50 30 20 20 0 1 0";
        let stat = parse_stat(text).unwrap();
        assert_eq!(stat.parent, 5);
        assert_eq!(stat.own, Duration::from_secs(2));
        assert_eq!(stat.reaped, Duration::from_millis(500));
    }
}
