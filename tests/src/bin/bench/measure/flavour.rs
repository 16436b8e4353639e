//! The flavour without an extension: loads through COPY, and the functions in PL/pgSQL.

use std::time::{Duration, Instant};

use crate::bench::{Bench, LOAD_WORKERS, SCHEMA};
use crate::report::{Figure, Section, Target};
use crate::{Result, client};

/// Connections of the runs.
const CONNECTIONS: &str = "8";

/// Measures both flavours in turns.
pub fn measure(bench: &Bench) -> Result<Section> {
    let effort = bench.effort;
    let (mut native_load, mut plain_load) = (Vec::new(), Vec::new());
    for round in 1..=effort.rounds {
        native_load.push(load(bench, "native")?.as_secs_f64());
        plain_load.push(load(bench, "plpgsql")?.as_secs_f64());
        eprintln!(
            "  load, round {round}: {:.2} s by the extension, {:.2} s through COPY",
            native_load[native_load.len() - 1],
            plain_load[plain_load.len() - 1]
        );
    }
    let (mut native, mut plain) = (Vec::new(), Vec::new());
    for round in 1..=effort.rounds {
        native.push(run(bench, "native")?);
        plain.push(run(bench, "plpgsql")?);
        eprintln!(
            "  udf, round {round}: {:.0} new orders/min by the extension, {:.0} in PL/pgSQL",
            native[native.len() - 1],
            plain[plain.len() - 1]
        );
    }
    let ratios = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a / b).collect::<Vec<_>>();
    let (load_ratio, run_ratio) = (ratios(&plain_load, &native_load), ratios(&plain, &native));
    Ok(Section::new("Without the extension")
        .text(format!(
            "`tpcc load` of {} warehouses with -c {LOAD_WORKERS}, everything included: by the extension, and as \
             `--flavour plpgsql` through COPY. Then `tpcc run -M udf -c {CONNECTIONS} -j 2` with either's \
             functions, each on a fresh copy of the same loaded database, {} s after {} s of warm-up.",
            effort.warehouses,
            effort.yardstick.as_secs(),
            (effort.warm_up / 2).as_secs()
        ))
        .figure(Figure::new("load by the extension", "s", native_load))
        .figure(Figure::new("load through COPY", "s", plain_load))
        .figure(Figure::new("load through COPY / by the extension", "", load_ratio).target(Target::AtMost(1.5)))
        .figure(Figure::new("functions of the extension", "new orders/min", native))
        .figure(
            Figure::new("functions in PL/pgSQL", "new orders/min", plain)
                .target(Target::AtLeast(65_000.0)),
        )
        .figure(Figure::new("functions in PL/pgSQL / of the extension", "", run_ratio)))
}

fn load(bench: &Bench, flavour: &str) -> Result<Duration> {
    let database = bench.fresh_database();
    bench.settle()?;
    let mut command = client::command(bench, database.name());
    command
        .args([
            "load",
            "--schema",
            SCHEMA,
            "--flavour",
            flavour,
            "--warehouses",
        ])
        .arg(bench.effort.warehouses.to_string())
        .args(["-c", &LOAD_WORKERS.to_string()]);
    let start = Instant::now();
    client::succeed(&mut command)?;
    let took = start.elapsed();
    let checks = format!("SELECT count(*) FILTER (WHERE NOT holds) FROM tpcc_check('{SCHEMA}')");
    let broken: i64 = bench.session(database.name()).value(&checks)?;
    bench.discard(database);
    if broken > 0 {
        return Err(format!("{broken} conditions do not hold after a load as {flavour}").into());
    }
    Ok(took)
}

fn run(bench: &Bench, flavour: &str) -> Result<f64> {
    let database = bench.loaded(bench.effort.warehouses)?;
    let arguments = [
        "-M",
        "udf",
        "-c",
        CONNECTIONS,
        "-j",
        "2",
        "--flavour",
        flavour,
    ];
    bench.settle()?;
    client::run(bench, &database, bench.effort.warm_up / 2, &arguments)?;
    let outcome = client::run(bench, &database, bench.effort.yardstick, &arguments)?;
    bench.discard(database);
    Ok(outcome.new_orders_per_minute)
}
