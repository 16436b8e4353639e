//! The client against pgbench: the same calls, connections and threads.

use std::time::Duration;

use workload::tpcc::NurandConstants;

use crate::bench::{Bench, SCHEMA};
use crate::pgbench::{self, THREADS};
use crate::report::{Figure, Section, Target};
use crate::run::orders_entered;
use crate::scripts::{self, Inputs};
use crate::{Result, client};

/// The seed of the constants of NURand.
const SEED: i64 = 1;
/// Connections of the comparisons.
const CONNECTIONS: [u32; 3] = [8, 64, 300];

/// One driver, in one round.
#[derive(Clone, Copy)]
struct Driven {
    per_minute: f64,
    client_us: f64,
}

/// Measures both in turns.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new("The client against pgbench")
        .text(format!(
            "`tpcc run -M udf` and `pgbench -M prepared` call the same five functions with the standard's mix \
             on {} warehouses, {THREADS} threads each, {} s a round, each on a fresh copy of the loaded \
             database after a warm-up of {} s. New orders are counted from the database. The client's CPU \
             time is that of its whole process, connecting included, over all its transactions; pgbench draws \
             its inputs in its script language, the client in Rust, and both are part of driving.",
            bench.effort.warehouses,
            bench.effort.yardstick.as_secs(),
            (bench.effort.warm_up / 2).as_secs()
        ));
    for connections in CONNECTIONS {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // Who begins changes, for whoever does is faster on some machines, and each begins as often.
        for round in 1..=bench.effort.rounds.next_multiple_of(2) {
            if round % 2 == 1 {
                theirs.push(by_pgbench(bench, connections)?);
                ours.push(by_client(bench, connections)?);
            } else {
                ours.push(by_client(bench, connections)?);
                theirs.push(by_pgbench(bench, connections)?);
            }
            let (a, b) = (ours[ours.len() - 1], theirs[theirs.len() - 1]);
            eprintln!(
                "  {connections} connections, round {round}: {:.0} new orders/min by the client, {:.0} by \
                 pgbench; CPU {:.1} and {:.1} us a transaction",
                a.per_minute, b.per_minute, a.client_us, b.client_us
            );
        }
        let figures =
            |driven: &[Driven], get: fn(&Driven) -> f64| driven.iter().map(get).collect::<Vec<_>>();
        let ratio = |get: fn(&Driven) -> f64| {
            let pairs = ours.iter().zip(&theirs);
            pairs.map(|(a, b)| get(a) / get(b)).collect::<Vec<_>>()
        };
        section = section
            .figure(Figure::new(
                format!("{connections} connections: client"),
                "new orders/min",
                figures(&ours, |d| d.per_minute),
            ))
            .figure(Figure::new(
                format!("{connections} connections: pgbench"),
                "new orders/min",
                figures(&theirs, |d| d.per_minute),
            ))
            .figure(
                Figure::new(
                    format!("{connections} connections: client / pgbench"),
                    "",
                    ratio(|d| d.per_minute),
                )
                .target(Target::AtLeast(1.0)),
            )
            .figure(Figure::new(
                format!("{connections} connections: CPU of the client"),
                "us a transaction",
                figures(&ours, |d| d.client_us),
            ))
            .figure(
                Figure::new(
                    format!("{connections} connections: CPU of the client / of pgbench"),
                    "",
                    ratio(|d| d.client_us),
                )
                .target(Target::AtMost(1.1)),
            );
    }
    Ok(section)
}

fn by_client(bench: &Bench, connections: u32) -> Result<Driven> {
    let database = bench.loaded(bench.effort.warehouses)?;
    let (connections, threads) = (connections.to_string(), THREADS.to_string());
    let arguments = ["-M", "udf", "-c", &connections, "-j", &threads];
    bench.settle()?;
    client::run(bench, &database, bench.effort.warm_up / 2, &arguments)?;
    let outcome = client::run(bench, &database, bench.effort.yardstick, &arguments)?;
    let counters = outcome.document.total.counters;
    bench.discard(database);
    Ok(Driven {
        per_minute: outcome.new_orders_per_minute,
        client_us: micros(outcome.client_cpu) / (counters.committed + counters.rolled_back) as f64,
    })
}

fn by_pgbench(bench: &Bench, connections: u32) -> Result<Driven> {
    let database = bench.loaded(bench.effort.warehouses)?;
    let session = bench.session(database.name());
    let c_last_load = session.value(&format!("SELECT c_last_load FROM {SCHEMA}.tpcc_scale"))?;
    let inputs = Inputs {
        warehouses: bench.effort.warehouses,
        constants: NurandConstants::run(SEED, c_last_load),
    };
    let folder = bench.cluster().server().place().dir().join("scripts");
    let arguments = scripts::write(&inputs, &folder)?;
    let run = |time| pgbench::run_with(bench, database.name(), connections, time, &arguments);
    bench.settle()?;
    run(bench.effort.warm_up / 2)?;
    let before = orders_entered(&session)?;
    let outcome = run(bench.effort.yardstick)?;
    let entered = (orders_entered(&session)? - before) as f64;
    drop(session);
    bench.discard(database);
    Ok(Driven {
        per_minute: entered * 60.0 / outcome.elapsed.as_secs_f64(),
        client_us: micros(outcome.client_cpu)
            / (outcome.per_second * outcome.elapsed.as_secs_f64()),
    })
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
