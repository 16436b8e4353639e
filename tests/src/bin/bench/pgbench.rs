//! Runs of pgbench, with what they cost.

use std::process::Stdio;
use std::time::Duration;

use crate::bench::Bench;
use crate::{Result, process};

/// Connections of every run.
pub const CLIENTS: u32 = 8;
/// Threads of every run.
pub const THREADS: u32 = 2;

/// What came of a run.
pub struct Outcome {
    /// Transactions a second, connecting left out.
    pub per_second: f64,
    /// How long it was measured.
    pub elapsed: Duration,
    /// The mean time of a transaction, in milliseconds.
    pub latency_ms: f64,
    /// CPU time of pgbench.
    pub client_cpu: Duration,
    /// CPU time of all the server's processes.
    pub server_cpu: Duration,
}

/// Runs pgbench in a database with its scripts, or whatever else the arguments say.
///
/// # Errors
/// Where pgbench fails, or one of its clients was given up, with what it said.
pub fn run(bench: &Bench, database: &str, time: Duration, arguments: &[String]) -> Result<Outcome> {
    run_with(bench, database, CLIENTS, time, arguments)
}

/// The same with another number of connections.
pub fn run_with(
    bench: &Bench,
    database: &str,
    clients: u32,
    time: Duration,
    arguments: &[String],
) -> Result<Outcome> {
    let postmaster = bench.postmaster()?;
    let server_before = process::server_cpu(postmaster);
    let client_before = process::reaped_cpu();
    let mut command = bench.cluster().pgbench(database);
    command.args(["-n", "-M", "prepared"]);
    command.args(["-c".to_owned(), clients.to_string()]);
    command.args(["-j".to_owned(), THREADS.to_string()]);
    command.args(["-T".to_owned(), time.as_secs().max(1).to_string()]);
    let output = command.args(arguments).stdin(Stdio::null()).output()?;
    let client_cpu = process::reaped_cpu().saturating_sub(client_before);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("pgbench failed:\n{said}{text}").into());
    }
    // The time of a process counts for its parent when it has ended.
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'";
    bench
        .witness()
        .until(Duration::from_secs(10), sessions, 0)?;
    let server_cpu = process::server_cpu(postmaster).saturating_sub(server_before);
    let missing = || format!("pgbench printed something else than expected:\n{text}");
    let figure = |mark: &str| number_after(&text, mark).ok_or_else(missing);
    let per_second = figure("tps = ")?;
    let done = figure("number of transactions actually processed: ")?;
    Ok(Outcome {
        per_second,
        elapsed: Duration::from_secs_f64(done / per_second),
        latency_ms: figure("latency average = ")?,
        client_cpu,
        server_cpu,
    })
}

/// Makes pgbench's own tables.
pub fn initialise(bench: &Bench, database: &str, scale: u32) -> Result<()> {
    let mut command = bench.cluster().pgbench(database);
    let output = command
        .args(["-i", "-q", "-s", &scale.to_string()])
        .output()?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }
}

fn number_after(text: &str, mark: &str) -> Option<f64> {
    let (_, rest) = text.split_once(mark)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_what_pgbench_prints() {
        let text = "number of transactions actually processed: 67391\n\
                    latency average = 0.593 ms\n\
                    tps = 13491.210154 (without initial connection time)\n";
        assert_eq!(number_after(text, "actually processed: "), Some(67391.0));
        assert_eq!(number_after(text, "latency average = "), Some(0.593));
        assert_eq!(number_after(text, "tps = "), Some(13491.210154));
        assert_eq!(number_after(text, "skipped: "), None);
    }
}
