//! What the client adds to a round trip over one connection, against pgbench.

use std::path::Path;
use std::time::Duration;

use tpcc::probe::ProbeDocument;

use crate::bench::Bench;
use crate::report::{Figure, Section, Target};
use crate::{Result, client, pgbench};

/// Calls in a round of the client.
const SAMPLES: &str = "50000";
/// A round of pgbench.
const TIME: Duration = Duration::from_secs(2);
/// Rounds for each of the others' rounds: these are short, and what the machine does besides shows.
const TURNS: u32 = 5;

/// Measures both in turns.
pub fn measure(bench: &Bench) -> Result<Section> {
    let database = bench.fresh_database();
    let name = database.name();
    let (mut ours, mut theirs, mut floors) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=bench.effort.rounds * TURNS {
        bench.settle()?;
        let document = by_client(bench, name)?;
        ours.push(document.protocol.prepared.p50_us);
        floors.push(document.floor.prepared.p50_us);
        theirs.push(by_pgbench(bench, name)?);
        let last = |values: &[f64]| values[values.len() - 1];
        eprintln!(
            "  round {round}: {:.1} us by the client, {:.1} by pgbench; floor {:.1}",
            last(&ours),
            last(&theirs),
            last(&floors)
        );
    }
    bench.discard(database);
    let ratio = ours.iter().zip(&theirs).map(|(a, b)| a / b);
    let ratio: Vec<f64> = ratio.collect();
    Ok(Section::new("What the client adds to a round trip")
        .text(format!(
            "`SELECT 1`, prepared, over one connection through a Unix-domain socket: the median of {SAMPLES} \
             calls by `tpcc probe`, and that of the log of `pgbench -n -M prepared -c 1 -l` over {} s, \
             whose times are cut to whole microseconds: half of one is added. The floor is a call to the \
             echo in `tpcc probe` itself.",
            TIME.as_secs()
        ))
        .figure(Figure::new("tpcc probe", "us", ours))
        .figure(Figure::new("pgbench", "us", theirs))
        .figure(Figure::new("tpcc probe / pgbench", "", ratio).target(Target::AtMost(1.0)))
        .figure(Figure::new("floor of tpcc probe", "us", floors)))
}

fn by_client(bench: &Bench, database: &str) -> Result<ProbeDocument> {
    let json = client::result_file(bench);
    let mut command = client::command(bench, database);
    command
        .args(["probe", "--table", "temp", "-c", "1", "--step-time", "10ms"])
        .args(["--samples", SAMPLES, "--json"])
        .arg(&json);
    client::succeed(&mut command)?;
    Ok(serde_json::from_str(&std::fs::read_to_string(&json)?)?)
}

/// The median of pgbench's log, in microseconds.
fn by_pgbench(bench: &Bench, database: &str) -> Result<f64> {
    let folder = bench.cluster().server().place().dir().join("round_trip");
    std::fs::create_dir_all(&folder)?;
    let script = folder.join("select_1.sql");
    std::fs::write(&script, "SELECT 1;\n")?;
    let arguments = [
        "-l".to_owned(),
        format!("--log-prefix={}", folder.join("log").display()),
        "-f".to_owned(),
        script.display().to_string(),
    ];
    pgbench::run_with(bench, database, 1, TIME, &arguments)?;
    let times = logged(&folder)?;
    std::fs::remove_dir_all(&folder)?;
    let median = times.get(times.len() / 2);
    median
        .map(|us| *us as f64 + 0.5)
        .ok_or_else(|| "pgbench logged nothing".into())
}

/// The times of all logs in a folder in microseconds, in order: the third field of a line.
fn logged(folder: &Path) -> Result<Vec<u64>> {
    let mut times = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == "sql") {
            continue;
        }
        for line in std::fs::read_to_string(&path)?.lines() {
            let field = line
                .split(' ')
                .nth(2)
                .ok_or("a line of pgbench's log without a time")?;
            times.push(field.parse()?);
        }
    }
    times.sort_unstable();
    Ok(times)
}
