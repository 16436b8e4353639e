//! Many connections: that they run, and what they cost the client in memory.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::bench::{Bench, SCHEMA};
use crate::report::{Figure, Section, Target};
use crate::{Result, client, process};

/// Few connections, whose memory is that of the client itself.
const FEW: u32 = 10;
/// Many.
const MANY: u32 = 1_000;

/// Measures the client's memory with few connections and with many.
pub fn measure(bench: &Bench) -> Result<Section> {
    let database = bench.loaded(2)?;
    let mut kib = Vec::new();
    for _ in 0..bench.effort.rounds {
        let few = memory(bench, database.name(), FEW)?;
        let many = memory(bench, database.name(), MANY)?;
        eprintln!("  {few} KiB with {FEW} connections, {many} KiB with {MANY}");
        kib.push((many as f64 - few as f64) / f64::from(MANY - FEW));
    }
    bench.discard(database);
    Ok(Section::new("Many connections")
        .text(format!(
            "`tpcc run -M udf -c {MANY} -j 2` runs; the private memory of the client in the middle of it, less \
             that of a run with {FEW} connections."
        ))
        .figure(
            Figure::new("memory of the client a connection", "KiB", kib)
                .target(Target::AtMost(60.0)),
        ))
}

/// The most private memory of a run, in KiB.
fn memory(bench: &Bench, database: &str, connections: u32) -> Result<u64> {
    let json = client::result_file(bench);
    let mut run = client::command(bench, database)
        .args(["run", "-M", "udf", "-j", "2", "-P", "0", "--schema", SCHEMA])
        .args([
            "-T",
            &format!("{}s", bench.effort.measured.as_secs().min(15)),
        ])
        .args(["-c", &connections.to_string(), "--json"])
        .arg(&json)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut most = 0;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = run.try_wait()? {
            break status;
        }
        most = most.max(process::private_kib(run.id()).unwrap_or(0));
        if start.elapsed() > Duration::from_secs(300) {
            run.kill()?;
            return Err(format!("a run with {connections} connections does not end").into());
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let document = client::read(&json)?;
    let reached = document.series.iter().filter_map(|point| point.client);
    if !status.success()
        || !reached
            .clone()
            .any(|point| point.connections == connections)
    {
        return Err(format!("a run with {connections} connections ended with {status}").into());
    }
    Ok(most)
}
