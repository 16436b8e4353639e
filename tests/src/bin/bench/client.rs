//! Runs of the client, with what they cost.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tests::Database;
use workload::result::ResultDocument;

use crate::bench::{Bench, SCHEMA, USER};
use crate::run::orders_entered;
use crate::{Result, process};

/// The variable with the client to measure; without it, the one of the same build as the benchmark's.
const CLIENT: &str = "PG_TPCC_CLIENT";

/// What came of a run.
pub struct Outcome {
    /// What the client wrote.
    pub document: ResultDocument,
    /// New orders a minute, as the database counts them.
    pub new_orders_per_minute: f64,
    /// CPU time of the client.
    pub client_cpu: Duration,
}

/// The client with its connection in the variables.
pub fn command(bench: &Bench, database: &str) -> Command {
    let mut command = bench.cluster().tpcc(database, USER);
    if let Some(client) = std::env::var_os(CLIENT) {
        let mut other = Command::new(client);
        other.envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        command = other;
    }
    command.stdin(Stdio::null());
    command
}

/// Runs `tpcc run` with these arguments for so long.
///
/// # Errors
/// Where it fails, ends early, or counts something else than the database.
pub fn run(
    bench: &Bench,
    database: &Database,
    time: Duration,
    arguments: &[&str],
) -> Result<Outcome> {
    let session = bench.session(database.name());
    let json = result_file(bench);
    let before = orders_entered(&session)?;
    let client = process::reaped_cpu();
    let mut command = command(bench, database.name());
    command
        .args(["run", "--schema", SCHEMA, "-P", "0", "-T"])
        .arg(format!("{}s", time.as_secs().max(1)))
        .arg("--json")
        .arg(&json)
        .args(arguments);
    succeed(&mut command)?;
    let client_cpu = process::reaped_cpu().saturating_sub(client);
    let entered = orders_entered(&session)? - before;
    let document = read(&json)?;
    let told = document.types[0].counters.committed;
    if told as i64 != entered {
        return Err(format!("tpcc run tells {told} new orders, but the database {entered}").into());
    }
    if let Some(error) = document.errors.first() {
        return Err(format!("{} errors: {}", error.count, error.first_message).into());
    }
    Ok(Outcome {
        new_orders_per_minute: entered as f64 * 60.0 / document.elapsed_s,
        document,
        client_cpu,
    })
}

/// Runs the client to its end.
///
/// # Errors
/// Where it fails, with what it said.
pub fn succeed(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} failed: {said}").into())
}

/// A file for a result, in the cluster's folder.
pub fn result_file(bench: &Bench) -> PathBuf {
    bench.cluster().server().place().dir().join("result.json")
}

/// Reads a result.
///
/// # Errors
/// Where there is none.
pub fn read(json: &Path) -> Result<ResultDocument> {
    Ok(ResultDocument::parse(&std::fs::read_to_string(json)?)?)
}
