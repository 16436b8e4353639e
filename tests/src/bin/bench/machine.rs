//! Where and what was measured.

use std::fmt;
use std::fs;
use std::io::{Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::time::{Instant, SystemTime};

use workload::result::rfc3339;

use crate::Result;
use crate::bench::Bench;

/// The facts that a figure is worth little without.
pub struct Machine {
    rows: Vec<(&'static str, String)>,
}

impl Machine {
    /// The machine and the source, before the measurements make it busy.
    pub fn look() -> Machine {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = rfc3339(now.map_or(0, |time| time.as_micros() as i64));
        Machine {
            rows: vec![
                ("date", now[..16].replace('T', " ") + " UTC"),
                ("commit", commit()),
                ("CPU", cpu()),
                ("memory", memory()),
                ("kernel", kernel()),
                ("load average before", load_average()),
            ],
        }
    }

    /// The facts that differ from run to run, in a line.
    pub fn line(&self) -> String {
        let wanted = ["date", "commit", "CPU", "load average before"];
        let rows = self.rows.iter().filter(|(name, _)| wanted.contains(name));
        rows.map(|(name, value)| format!("{name} {value}"))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Adds the server's version, settings and disk.
    pub fn look_at_server(&mut self, bench: &Bench) -> Result<()> {
        let witness = bench.witness();
        let version: String = witness.value("SELECT version()")?;
        let settings = witness.rows(
            "SELECT name || ' ' || current_setting(name) FROM pg_settings \
             WHERE source = 'configuration file' AND category NOT LIKE 'File Locations' \
               AND name !~ '^(log_|lc_|unix_socket|listen|port$|default_text|DateStyle|TimeZone|dynamic_shared)' \
             ORDER BY name",
        )?;
        let settings: Vec<&str> = settings.iter().filter_map(|row| row.get(0)).collect();
        let version = version.split(',').next().unwrap_or_default();
        let folder = bench.cluster().server().place().dir();
        self.rows.push(("server", version.to_owned()));
        self.rows.push(("settings", settings.join(", ")));
        self.rows.push((
            "connections",
            "unix socket, client on the same machine".to_owned(),
        ));
        self.rows.push(("disk", disk(folder)));
        self.rows
            .push(("synced write of 8 kB", synced_write(folder)?));
        Ok(())
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "## Where\n\n| | |\n| --- | --- |")?;
        for (name, value) in &self.rows {
            writeln!(out, "| {name} | {value} |")?;
        }
        Ok(())
    }
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn commit() -> String {
    let Some(commit) = output("git", &["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".to_owned();
    };
    let changes = output(
        "git",
        &["status", "--porcelain", "--", ".", ":!docs/benchmarks.md"],
    );
    match changes.as_deref() {
        Some("") => commit,
        Some(_) => format!("{commit} with uncommitted changes"),
        None => format!("{commit}, unknown whether with changes"),
    }
}

fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown model", |(_, model)| model.trim());
    let count = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{model}, {count} CPUs")
}

fn memory() -> String {
    tpcc::cluster::config::memory_mb().map_or("unknown".to_owned(), |mb| {
        format!("{:.1} GB", mb as f64 / 1024.0)
    })
}

fn kernel() -> String {
    output("uname", &["-srm"]).unwrap_or_else(|| "unknown".to_owned())
}

fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let three: Vec<&str> = text.split_whitespace().take(3).collect();
    three.join(", ")
}

/// The file system of a folder and what its device says of itself.
fn disk(folder: &Path) -> String {
    let Ok(device) = folder.metadata().map(|metadata| metadata.dev()) else {
        return "unknown".to_owned();
    };
    // As glibc's major() and minor() for the numbers that are in use.
    let (major, minor) = (
        (device >> 8) & 0xfff,
        (device & 0xff) | ((device >> 12) & 0xfff00),
    );
    let number = format!("{major}:{minor}");
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let kind = mounts
        .lines()
        .find(|line| line.split_whitespace().nth(2) == Some(number.as_str()))
        .and_then(|line| line.split_once(" - ")?.1.split_whitespace().next());
    let block = Path::new("/sys/dev/block").join(&number);
    let rotational = ["queue/rotational", "../queue/rotational"]
        .iter()
        .find_map(|file| fs::read_to_string(block.join(file)).ok());
    let rotational = match rotational.as_deref().map(str::trim) {
        Some("0") => "a device that does not rotate",
        Some(_) => "a device that says it rotates",
        None => "an unknown device",
    };
    format!("{} on {rotational}", kind.unwrap_or("unknown file system"))
}

/// What a commit waits for at least: the median of some hundred writes over what is there already, as
/// the server writes its log.
fn synced_write(folder: &Path) -> Result<String> {
    const WRITES: usize = 300;
    let block = [0x55; 8192];
    let path = folder.join("synced_write");
    let mut file = fs::File::create(&path)?;
    for _ in 0..WRITES {
        file.write_all(&block)?;
    }
    file.sync_all()?;
    file.rewind()?;
    let mut times = Vec::new();
    for _ in 0..WRITES {
        let start = Instant::now();
        file.write_all(&block)?;
        file.sync_data()?;
        times.push(start.elapsed());
    }
    fs::remove_file(&path)?;
    times.sort();
    let median = times[WRITES / 2].as_micros();
    Ok(format!("{median} us (median of {WRITES})"))
}
