//! sysbench's own tables and scripts: loads and runs, against sysbench.

use std::time::{Duration, Instant};

use tests::Database;

use crate::bench::{Bench, LOAD_WORKERS};
use crate::pgbench::THREADS;
use crate::report::{Figure, Section, Target};
use crate::{Result, client, process};

/// Connections of the runs.
const CONNECTIONS: [u32; 2] = [8, 64];
/// Tables.
const TABLES: u32 = 4;

/// What a round of a run came to.
#[derive(Clone, Copy)]
struct Driven {
    per_second: f64,
    client_us: f64,
}

/// Measures both in turns.
pub fn measure(bench: &Bench) -> Result<Section> {
    let size = bench.effort.warehouses * 25_000;
    let section = Section::new("sysbench's OLTP against sysbench").text(format!(
        "{TABLES} tables of {size} rows: `tpcc oltp load` over {LOAD_WORKERS} connections, its rows made in the server \
         by the extension or sent through COPY, against `sysbench oltp_read_write prepare` with {LOAD_WORKERS} threads; \
         each into an empty database, everything included. Then `tpcc oltp run` with {THREADS} threads against \
         `sysbench oltp_read_write run`, which has a thread a connection: the same 18 statements in BEGIN and COMMIT, the \
         same distribution (special), {} s a round, in turns on the same tables. The client's CPU time is that of its \
         whole process over its transactions.",
        round_time(bench).as_secs()
    ));
    let section = loads(bench, size, section)?;
    let database = bench.fresh_database();
    load(bench, &database, size, "native")?;
    bench.settle()?;
    let mut section = section;
    for connections in CONNECTIONS {
        section = runs(bench, &database, size, connections, section)?;
    }
    bench.discard(database);
    Ok(section)
}

fn round_time(bench: &Bench) -> Duration {
    bench.effort.yardstick
}

fn loads(bench: &Bench, size: i32, section: Section) -> Result<Section> {
    let names = [
        "tpcc, in the server",
        "tpcc, through COPY",
        "sysbench prepare",
    ];
    let mut times = [const { Vec::new() }; 3];
    for round in 1..=bench.effort.rounds {
        for (way, (name, times)) in names.iter().zip(&mut times).enumerate() {
            let database = bench.fresh_database();
            bench.settle()?;
            let start = Instant::now();
            match way {
                0 => load(bench, &database, size, "native")?,
                1 => load(bench, &database, size, "plpgsql")?,
                _ => {
                    sysbench(bench, &database, size, LOAD_WORKERS, &["prepare"])?;
                }
            }
            let took = start.elapsed().as_secs_f64();
            eprintln!("  load, round {round}: {took:.2} s by {name}");
            times.push(took);
            bench.discard(database);
        }
    }
    let ratio = times[2].iter().zip(&times[0]).map(|(a, b)| a / b);
    let ratio = ratio.collect::<Vec<_>>();
    let mut section = section;
    for (name, times) in names.iter().zip(times) {
        section = section.figure(Figure::new(format!("load: {name}"), "s", times));
    }
    let name = "load: sysbench prepare / tpcc";
    Ok(section.figure(Figure::new(name, "", ratio).target(Target::AtLeast(3.0))))
}

fn load(bench: &Bench, database: &Database<'_>, size: i32, flavour: &str) -> Result<()> {
    let (tables, size) = (TABLES.to_string(), size.to_string());
    let connections = LOAD_WORKERS.to_string();
    let mut command = client::command(bench, database.name());
    command.args(["oltp", "load", "--tables", &tables, "--table-size", &size]);
    client::succeed(command.args(["-c", &connections, "--flavour", flavour]))
}

fn sysbench(
    bench: &Bench,
    database: &Database<'_>,
    size: i32,
    threads: u32,
    arguments: &[&str],
) -> Result<String> {
    let mut command = bench.cluster().sysbench(database.name());
    command.arg("oltp_read_write").args([
        format!("--tables={TABLES}"),
        format!("--table-size={size}"),
        format!("--threads={threads}"),
    ]);
    let output = command.args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("sysbench failed:\n{said}{text}").into())
}

fn runs(
    bench: &Bench,
    database: &Database<'_>,
    size: i32,
    connections: u32,
    section: Section,
) -> Result<Section> {
    let time = round_time(bench);
    let ours_once = |mode: &str| by_client(bench, database, size, connections, mode, time);
    let theirs_once = |time| by_sysbench(bench, database, size, connections, time);
    theirs_once(time / 4)?;
    let (mut theirs, mut ours, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    // Who begins changes, and each begins as often.
    for round in 1..=bench.effort.rounds.next_multiple_of(2) {
        if round % 2 == 1 {
            theirs.push(theirs_once(time)?);
        }
        ours.push(ours_once("statements")?);
        calls.push(ours_once("udf")?);
        if round % 2 == 0 {
            theirs.push(theirs_once(time)?);
        }
        let last = |driven: &[Driven]| driven.last().map_or(0.0, |driven| driven.per_second);
        eprintln!(
            "  {connections} connections, round {round}: {:.0} transactions/s by sysbench, {:.0} in statements, {:.0} in \
             one call",
            last(&theirs),
            last(&ours),
            last(&calls)
        );
    }
    let name = |what: &str| format!("{connections} connections: {what}");
    let figures =
        |driven: &[Driven], get: fn(&Driven) -> f64| driven.iter().map(get).collect::<Vec<_>>();
    let ratio = |ours: &[Driven], get: fn(&Driven) -> f64| {
        let pairs = ours.iter().zip(&theirs);
        pairs.map(|(a, b)| get(a) / get(b)).collect::<Vec<_>>()
    };
    let speed: fn(&Driven) -> f64 = |driven| driven.per_second;
    let cost: fn(&Driven) -> f64 = |driven| driven.client_us;
    let unit = "transactions/s";
    Ok(section
        .figure(Figure::new(name("sysbench"), unit, figures(&theirs, speed)))
        .figure(Figure::new(name("statements"), unit, figures(&ours, speed)))
        .figure(
            Figure::new(name("statements / sysbench"), "", ratio(&ours, speed))
                .target(Target::AtLeast(1.0)),
        )
        .figure(Figure::new(
            name("udf / sysbench"),
            "",
            ratio(&calls, speed),
        ))
        .figure(Figure::new(
            name("CPU of the client, statements"),
            "us a transaction",
            figures(&ours, cost),
        ))
        .figure(
            Figure::new(
                name("CPU of the client, statements / sysbench"),
                "",
                ratio(&ours, cost),
            )
            .target(Target::AtMost(1.0)),
        ))
}

fn by_sysbench(
    bench: &Bench,
    database: &Database<'_>,
    size: i32,
    connections: u32,
    time: Duration,
) -> Result<Driven> {
    let before = process::reaped_cpu();
    let seconds = format!("--time={}", time.as_secs().max(1));
    let text = sysbench(bench, database, size, connections, &[&seconds, "run"])?;
    let cpu = process::reaped_cpu().saturating_sub(before);
    // "transactions:                        2246   (224.57 per sec.)"
    let numbers = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("transactions:"))
        .and_then(|rest| rest.trim().split_once('('))
        .and_then(|(count, rate)| {
            let count: f64 = count.trim().parse().ok()?;
            let rate: f64 = rate.split(' ').next()?.parse().ok()?;
            Some((count, rate))
        });
    let (count, per_second) =
        numbers.ok_or_else(|| format!("sysbench printed something else than expected:\n{text}"))?;
    Ok(Driven {
        per_second,
        client_us: cpu.as_secs_f64() * 1e6 / count,
    })
}

fn by_client(
    bench: &Bench,
    database: &Database<'_>,
    size: i32,
    connections: u32,
    mode: &str,
    time: Duration,
) -> Result<Driven> {
    let json = client::result_file(bench);
    let (connections, threads) = (connections.to_string(), THREADS.to_string());
    let before = process::reaped_cpu();
    let mut command = client::command(bench, database.name());
    command
        .args(["oltp", "run", "-M", mode, "-P", "0", "-T"])
        .arg(format!("{}s", time.as_secs().max(1)))
        .args(["--table-size", &size.to_string()])
        .args(["-c", &connections, "-j", &threads, "--json"])
        .arg(&json);
    client::succeed(&mut command)?;
    let cpu = process::reaped_cpu().saturating_sub(before);
    let document = client::read(&json)?;
    if let Some(error) = document.errors.first() {
        return Err(format!("{} errors: {}", error.count, error.first_message).into());
    }
    let committed = document.total.counters.committed as f64;
    Ok(Driven {
        per_second: committed / document.elapsed_s,
        client_us: cpu.as_secs_f64() * 1e6 / committed,
    })
}
