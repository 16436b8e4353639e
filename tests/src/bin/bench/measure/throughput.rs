//! New orders a minute: the five functions under pgbench, and `tpcc_run`.

use std::time::Duration;

use workload::tpcc::NurandConstants;

use crate::bench::{Bench, SCHEMA};
use crate::pgbench::{self, CLIENTS, Outcome, THREADS};
use crate::report::{Figure, Section, Target};
use crate::run::{orders_entered, run};
use crate::scripts::{self, Inputs};
use crate::{Result, process};

/// The seed of the constants of NURand.
const SEED: i64 = 1;
/// The scale of pgbench's own tables.
const PGBENCH_SCALE: u32 = 10;

/// One way to enter orders, in one round.
struct Orders {
    per_minute: f64,
    client_us: f64,
    server_us: f64,
    latency_ms: f64,
    violations: f64,
}

/// Measures both ways, and pgbench's own two as yardsticks, in turns.
pub fn measure(bench: &Bench) -> Result<Section> {
    let effort = bench.effort;
    let own = bench.fresh_database();
    pgbench::initialise(bench, own.name(), PGBENCH_SCALE)?;
    let (mut called, mut server) = (Vec::new(), Vec::new());
    let (mut select, mut tpcb) = (Vec::new(), Vec::new());
    for round in 1..=effort.rounds {
        called.push(by_pgbench(bench)?);
        server.push(by_workers(bench)?);
        for (figures, script) in [(&mut select, "select-only"), (&mut tpcb, "tpcb-like")] {
            let arguments = ["-b".to_owned(), script.to_owned()];
            bench.settle()?;
            pgbench::run(bench, own.name(), effort.warm_up / 2, &arguments)?;
            figures.push(pgbench::run(
                bench,
                own.name(),
                effort.yardstick,
                &arguments,
            )?);
        }
        let last = |orders: &[Orders]| orders.last().map_or(0.0, |last| last.per_minute);
        eprintln!(
            "  round {round}: {:.0} new orders/min by pgbench, {:.0} by tpcc_run; pgbench -S {:.0}/s, TPC-B {:.0}/s",
            last(&called),
            last(&server),
            select[select.len() - 1].per_second,
            tpcb[tpcb.len() - 1].per_second
        );
    }
    bench.discard(own);
    Ok(section(bench, &called, &server, &select, &tpcb))
}

fn by_pgbench(bench: &Bench) -> Result<Orders> {
    let database = bench.loaded(bench.effort.warehouses)?;
    let session = bench.session(database.name());
    let c_last_load = session.value(&format!("SELECT c_last_load FROM {SCHEMA}.tpcc_scale"))?;
    let inputs = Inputs {
        warehouses: bench.effort.warehouses,
        constants: NurandConstants::run(SEED, c_last_load),
    };
    let folder = bench.cluster().server().place().dir().join("scripts");
    let arguments = scripts::write(&inputs, &folder)?;
    bench.settle()?;
    pgbench::run(bench, database.name(), bench.effort.warm_up, &arguments)?;
    let before = orders_entered(&session)?;
    let outcome = pgbench::run(bench, database.name(), bench.effort.measured, &arguments)?;
    let entered = (orders_entered(&session)? - before) as f64;
    let orders = Orders {
        per_minute: entered * 60.0 / outcome.elapsed.as_secs_f64(),
        client_us: micros(outcome.client_cpu) / entered,
        server_us: micros(outcome.server_cpu) / entered,
        latency_ms: outcome.latency_ms,
        violations: violations(&session)?,
    };
    drop(session);
    bench.discard(database);
    Ok(orders)
}

fn by_workers(bench: &Bench) -> Result<Orders> {
    let database = bench.loaded(bench.effort.warehouses)?;
    let session = bench.session(database.name());
    bench.settle()?;
    run(&session, CLIENTS, Duration::ZERO, bench.effort.warm_up)?;
    let postmaster = bench.postmaster()?;
    let (before, cpu) = (orders_entered(&session)?, process::server_cpu(postmaster));
    let document = run(&session, CLIENTS, Duration::ZERO, bench.effort.measured)?;
    let cpu = process::server_cpu(postmaster).saturating_sub(cpu);
    let entered = (orders_entered(&session)? - before) as f64;
    let orders = Orders {
        per_minute: entered * 60.0 / document.elapsed_s,
        client_us: 0.0,
        server_us: micros(cpu) / entered,
        latency_ms: document.total.response.mean_us / 1e3,
        violations: violations(&session)?,
    };
    // Both count the same orders, or one of them counts wrongly.
    if (orders.per_minute / document.headline().0 - 1.0).abs() > 0.01 {
        return Err(format!(
            "tpcc_run tells {:.0} new orders/min, but the database {:.0}",
            document.headline().0,
            orders.per_minute
        )
        .into());
    }
    drop(session);
    bench.discard(database);
    Ok(orders)
}

/// Consistency conditions that do not hold (clause 3.3.2).
fn violations(session: &crate::session::Session) -> Result<f64> {
    session.value(&format!(
        "SELECT count(*) FILTER (WHERE NOT holds) FROM tpcc_check('{SCHEMA}')"
    ))
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn section(
    bench: &Bench,
    called: &[Orders],
    server: &[Orders],
    select: &[Outcome],
    tpcb: &[Outcome],
) -> Section {
    let effort = bench.effort;
    let of =
        |orders: &[Orders], get: fn(&Orders) -> f64| orders.iter().map(get).collect::<Vec<_>>();
    let speeds = |runs: &[Outcome]| runs.iter().map(|run| run.per_second).collect::<Vec<_>>();
    let pairs = called.iter().zip(server);
    let ratio: Vec<f64> = pairs.map(|(a, b)| b.per_minute / a.per_minute).collect();
    Section::new("Throughput")
        .text(format!(
            "The standard's mix with all its work (remote lines and payments, lookups by name, the 1% that is \
             rolled back), {} warehouses, {CLIENTS} callers, each with its home warehouse, {} s a round, \
             without keying and think times. New orders are counted from the database: the growth of \
             `sum(d_next_o_id)`, in which what was rolled back leaves no trace.",
            effort.warehouses,
            effort.measured.as_secs()
        ))
        .text(format!(
            "`pgbench -M prepared -c {CLIENTS} -j {THREADS}` with scripts that call the five functions; \
             `tpcc_run` with {CLIENTS} workers. Each on a copy of its own of the loaded database, read into \
             memory, after a checkpoint, and warmed up for {} s, so that no round meets the growth of \
             another, nor only the full page images that follow a checkpoint. The CPU time of the server is that of all its processes.",
            effort.warm_up.as_secs()
        ))
        .text(format!(
            "For the machine's speed in the same rounds: pgbench's own two scripts at scale {PGBENCH_SCALE} \
             with the same clients and threads, {} s each.",
            effort.yardstick.as_secs()
        ))
        .figure(
            Figure::new("functions under pgbench", "new orders/min", of(called, |o| o.per_minute))
                .target(Target::AtLeast(105_000.0)),
        )
        .figure(Figure::new(
            "`tpcc_run`",
            "new orders/min",
            of(server, |o| o.per_minute),
        ))
        .figure(
            Figure::new("`tpcc_run` / functions under pgbench", "", ratio)
                .target(Target::AtLeast(1.1)),
        )
        .figure(Figure::new("`pgbench -S`", "transactions/s", speeds(select)))
        .figure(Figure::new("`pgbench` (TPC-B)", "transactions/s", speeds(tpcb)))
        .figure(Figure::new(
            "functions: CPU of the server a new order",
            "us",
            of(called, |o| o.server_us),
        ))
        .figure(Figure::new(
            "functions: CPU of pgbench a new order",
            "us",
            of(called, |o| o.client_us),
        ))
        .figure(Figure::new(
            "`tpcc_run`: CPU of the server a new order",
            "us",
            of(server, |o| o.server_us),
        ))
        .figure(Figure::new(
            "functions: mean time of a transaction",
            "ms",
            of(called, |o| o.latency_ms),
        ))
        .figure(Figure::new(
            "`tpcc_run`: mean time of a transaction",
            "ms",
            of(server, |o| o.latency_ms),
        ))
        .figure(
            Figure::new(
                "consistency conditions that do not hold after a round",
                "",
                called.iter().zip(server).map(|(a, b)| a.violations + b.violations),
            )
            .target(Target::AtMost(0.0)),
        )
}
