//! pgbench's own tables and scripts: loads and runs, against pgbench.

use std::process::Command;
use std::time::{Duration, Instant};

use tests::Database;

use crate::bench::{Bench, LOAD_WORKERS};
use crate::pgbench::THREADS;
use crate::report::{Figure, Section, Target};
use crate::{Result, client, pgbench};

/// Connections of the runs.
const CONNECTIONS: [u32; 3] = [1, 8, 64];
/// pgbench's builtin scripts that are compared.
const BUILTINS: [&str; 2] = ["select-only", "tpcb-like"];
/// The client's modes that are.
const MODES: [&str; 2] = ["statements", "udf"];

/// Measures both in turns.
pub fn measure(bench: &Bench) -> Result<Section> {
    let scale = bench.effort.warehouses * 10;
    let section = Section::new("TPC-B against pgbench").text(format!(
        "pgbench's tables at scale {scale}: `tpcc tpcb load` over {LOAD_WORKERS} connections, its rows made in the \
         server by the extension or sent through COPY, against `pgbench -i`, whose rows the client sends, and \
         `pgbench -i -I dtGvp`, whose rows the server makes; each into an empty database, everything included. \
         Then pgbench's builtin scripts on these tables: `tpcc tpcb run` against `pgbench -M prepared`, \
         {THREADS} threads each, {} s a round, in turns.",
        round_time(bench).as_secs()
    ));
    let section = loads(bench, scale, section)?;
    let database = bench.fresh_database();
    load(bench, &database, scale, "native")?;
    bench.settle()?;
    let mut section = section;
    for builtin in BUILTINS {
        for connections in CONNECTIONS {
            section = runs(bench, &database, builtin, connections, section)?;
        }
    }
    bench.discard(database);
    Ok(section)
}

/// A way to fill a database.
type Make<'a> = dyn Fn(&Database<'_>) -> Result<()> + 'a;

fn round_time(bench: &Bench) -> Duration {
    bench.effort.yardstick / 2
}

fn loads(bench: &Bench, scale: i32, section: Section) -> Result<Section> {
    let ways: [(&str, &Make<'_>); 4] = [
        ("tpcc, in the server", &|database| {
            load(bench, database, scale, "native")
        }),
        ("tpcc, through COPY", &|database| {
            load(bench, database, scale, "plpgsql")
        }),
        ("pgbench -i", &|database| {
            initialise(bench, database, scale, &[])
        }),
        ("pgbench -i -I dtGvp", &|database| {
            initialise(bench, database, scale, &["-I", "dtGvp"])
        }),
    ];
    let mut times = [const { Vec::new() }; 4];
    for round in 1..=bench.effort.rounds {
        for ((name, make), times) in ways.iter().zip(&mut times) {
            let database = bench.fresh_database();
            bench.settle()?;
            let start = Instant::now();
            make(&database)?;
            let took = start.elapsed().as_secs_f64();
            eprintln!("  load, round {round}: {took:.2} s by {name}");
            times.push(took);
            bench.discard(database);
        }
    }
    let ratio = |theirs: usize| {
        let pairs = times[theirs].iter().zip(&times[0]);
        pairs.map(|(a, b)| a / b).collect::<Vec<_>>()
    };
    let ratios = [2, 3].map(|theirs| (format!("load: {} / tpcc", ways[theirs].0), ratio(theirs)));
    let mut section = section;
    for ((name, _), times) in ways.iter().zip(times.clone()) {
        section = section.figure(Figure::new(format!("load: {name}"), "s", times));
    }
    for (name, ratio) in ratios {
        section = section.figure(Figure::new(name, "", ratio).target(Target::AtLeast(1.5)));
    }
    Ok(section)
}

fn load(bench: &Bench, database: &Database<'_>, scale: i32, flavour: &str) -> Result<()> {
    let (scale, connections) = (scale.to_string(), LOAD_WORKERS.to_string());
    let mut command = client::command(bench, database.name());
    command.args(["tpcb", "load", "-s", &scale, "-c", &connections]);
    client::succeed(command.args(["--flavour", flavour]))
}

fn initialise(bench: &Bench, database: &Database<'_>, scale: i32, steps: &[&str]) -> Result<()> {
    let mut command: Command = bench.cluster().pgbench(database.name());
    command.args(["-i", "-q", "-s", &scale.to_string()]);
    client::succeed(command.args(steps))
}

fn runs(
    bench: &Bench,
    database: &Database<'_>,
    builtin: &str,
    connections: u32,
    section: Section,
) -> Result<Section> {
    let time = round_time(bench);
    let theirs_once = |time| {
        let script = ["-b".to_owned(), builtin.to_owned()];
        pgbench::run_with(bench, database.name(), connections, time, &script)
            .map(|outcome| outcome.per_second)
    };
    let ours_once = |mode: &str| -> Result<f64> {
        let json = client::result_file(bench);
        let (connections, threads) = (connections.to_string(), THREADS.to_string());
        let mut command = client::command(bench, database.name());
        command
            .args(["tpcb", "run", "-b", builtin, "-M", mode, "-P", "0", "-T"])
            .arg(format!("{}s", time.as_secs().max(1)))
            .args(["-c", &connections, "-j", &threads, "--json"])
            .arg(&json);
        client::succeed(&mut command)?;
        let document = client::read(&json)?;
        match document.errors.first() {
            Some(error) => Err(format!("{} errors: {}", error.count, error.first_message).into()),
            None => Ok(document.total.counters.committed as f64 / document.elapsed_s),
        }
    };
    theirs_once(time / 4)?;
    let mut theirs = Vec::new();
    let mut ours = [const { Vec::new() }; 2];
    // Who begins changes, and each begins as often.
    for round in 1..=bench.effort.rounds.next_multiple_of(2) {
        if round % 2 == 1 {
            theirs.push(theirs_once(time)?);
        }
        for (mode, ours) in MODES.into_iter().zip(&mut ours) {
            ours.push(ours_once(mode)?);
        }
        if round % 2 == 0 {
            theirs.push(theirs_once(time)?);
        }
        let last = |figures: &[f64]| figures.last().copied().unwrap_or_default();
        eprintln!(
            "  {builtin}, {connections} connections, round {round}: {:.0} transactions/s by pgbench, {:.0} in \
             statements, {:.0} in one call",
            last(&theirs),
            last(&ours[0]),
            last(&ours[1])
        );
    }
    let name = |what: &str| format!("{builtin}, {connections} connections: {what}");
    let mut section = section;
    for (mode, ours) in MODES.into_iter().zip(&ours) {
        let ratio = ours
            .iter()
            .zip(&theirs)
            .map(|(a, b)| a / b)
            .collect::<Vec<_>>();
        section = section.figure(
            Figure::new(name(&format!("{mode} / pgbench")), "", ratio).target(Target::AtLeast(1.0)),
        );
    }
    let unit = "transactions/s";
    section = section.figure(Figure::new(name("pgbench"), unit, theirs));
    for (mode, ours) in MODES.into_iter().zip(ours) {
        section = section.figure(Figure::new(name(mode), unit, ours));
    }
    Ok(section)
}
