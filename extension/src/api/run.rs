//! `tpcc_run`, and what is about runs: `tpcc_stop`, `tpcc_progress`, `tpcc_run_history`.

use pgrx::datum::{Interval, JsonB, TimestampWithTimeZone};
use pgrx::prelude::*;
use workload::stats::TypeSummary;

use super::arguments::{in_range, required};
use crate::pg::clock::timestamptz;
use crate::pg::error::{Result, edge};
use crate::run::{self, Figures, Options, Task};

/// What `max_worker_processes` can be set to at most.
const MAX_WORKERS: i32 = 262_143;

/// A function that runs a workload: all of them give a row a transaction type and a total, with the same columns.
macro_rules! run_function {
    ($(#[$attribute:meta])* fn $name:ident($($arguments:tt)*) $body:block) => {
        $(#[$attribute])*
        fn $name($($arguments)*) -> TableIterator<
            'static,
            (
                name!(transaction, String),
                name!(committed, i64),
                name!(rolled_back, i64),
                name!(failed, i64),
                name!(skipped, i64),
                name!(retried, i64),
                name!(per_minute, f64),
                name!(share, f64),
                name!(mean_ms, f64),
                name!(p50_ms, f64),
                name!(p90_ms, f64),
                name!(p95_ms, f64),
                name!(p99_ms, f64),
                name!(p999_ms, f64),
                name!(max_ms, f64),
            ),
        > $body
    };
}
pub(super) use run_function;

run_function! {
    /// Runs TPC-C with background workers as terminals, and tells a row a transaction type and a total.
    ///
    /// `per_minute` counts committed transactions: in the row `new_order` it is new orders/min, in the
    /// row `total` transactions/min. `share` is in percent. Times are response times in milliseconds;
    /// with a `rate` they count from when a transaction was due. The whole result document is kept in
    /// the schema's `tpcc_results` (see the view `tpcc_runs`).
    ///
    /// `workers` is the number of processors unless given. `ramp_up` comes before `duration` and is
    /// left out of the figures. `mix` is `standard` or weights like `new_order=45,payment=55`. `rate`
    /// is in transactions a second over all workers. A transaction that meets 40001 or 40P01 is tried
    /// up to 20 times, with growing random pauses of 100 ms at most. `report_interval` of 0 or NULL
    /// tells no progress. `home_warehouse` is `fixed`, as in the standard, or `uniform`.
    ///
    /// To be called as a statement of its own: while it waits it holds no snapshot.
    ///
    /// Errors: 22004 and 22023 for arguments, 3F000 and TC003 where the data is not there as a whole,
    /// 25001 in a transaction block, 53400 where the server has too few free worker slots, TC005 when
    /// a worker went away.
    #[pg_extern(volatile, parallel_unsafe)]
    #[search_path(pg_catalog, pg_temp)]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn tpcc_run(
        duration: default!(Option<Interval>, "'60 seconds'"),
        workers: default!(Option<i32>, "NULL"),
        schema: default!(Option<&str>, "'tpcc'"),
        ramp_up: default!(Option<Interval>, "'0 seconds'"),
        mix: default!(Option<&str>, "'standard'"),
        rate: default!(Option<f64>, "NULL"),
        keying_thinking: default!(Option<bool>, "false"),
        isolation: default!(Option<&str>, "'read committed'"),
        seed: default!(Option<i64>, "NULL"),
        report_interval: default!(Option<Interval>, "'10 seconds'"),
        home_warehouse: default!(Option<&str>, "'fixed'"),
    ) {
        let options = || -> Result<Options> {
            Ok(Options {
                duration_s: seconds(&required("duration", duration)?),
                ramp_up_s: seconds(&required("ramp_up", ramp_up)?),
                workers: number_of(workers)?,
                schema: required("schema", schema)?.to_owned(),
                rate,
                keying_thinking: required("keying_thinking", keying_thinking)?,
                isolation: required("isolation", isolation)?.to_owned(),
                seed,
                report_interval_s: report_interval.as_ref().map_or(0.0, seconds),
                task: Task::Tpcc {
                    mix: run::parse(required("mix", mix)?)?,
                    home_warehouse: run::parse(required("home_warehouse", home_warehouse)?)?,
                },
            })
        };
        let Figures(rows) = edge(|| run::run(options()?));
        TableIterator::new(rows.into_iter().map(row))
    }
}

#[allow(clippy::type_complexity)]
pub(super) fn row(
    figures: TypeSummary,
) -> (
    String,
    i64,
    i64,
    i64,
    i64,
    i64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
    f64,
) {
    let counters = figures.counters;
    let ms = |us: u64| us as f64 / 1e3;
    let times = figures.response;
    (
        figures.name,
        counters.committed as i64,
        counters.rolled_back as i64,
        counters.failed as i64,
        counters.skipped as i64,
        counters.retries() as i64,
        rounded(figures.per_minute, 1),
        rounded(figures.share * 100.0, 2),
        rounded(times.mean_us / 1e3, 3),
        ms(times.p50_us),
        ms(times.p90_us),
        ms(times.p95_us),
        ms(times.p99_us),
        ms(times.p999_us),
        ms(times.max_us),
    )
}

fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// So many workers; none for a number that suits the machine.
pub(super) fn number_of(workers: Option<i32>) -> Result<Option<usize>> {
    match workers {
        Some(_) => Ok(Some(in_range("workers", workers, 1..=MAX_WORKERS)? as usize)),
        None => Ok(None),
    }
}

/// An interval in seconds, with months of 30 days as PostgreSQL compares them.
pub(super) fn seconds(interval: &Interval) -> f64 {
    interval.as_micros() as f64 / 1e6
}

/// Ends the runs on a schema now; whoever called `tpcc_run` gets the result so far, marked as
/// partial. Returns the number of runs.
///
/// A run may be stopped by the role that started it, its members, and superusers.
///
/// Errors: 22004, 42501.
#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
fn tpcc_stop(schema: default!(Option<&str>, "'tpcc'")) -> i32 {
    edge(|| run::stop_runs(required("schema", schema)?))
}

/// The runs that are going on in this database, as far as the current role may stop them.
///
/// Figures leave the ramp-up out.
#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)]
fn tpcc_progress() -> TableIterator<
    'static,
    (
        name!(schema, String),
        name!(pid, i32),
        name!(workers, i32),
        name!(elapsed_s, f64),
        name!(planned_s, f64),
        name!(committed, i64),
        name!(failed, i64),
        name!(new_orders_per_minute, Option<f64>),
        name!(transactions_per_minute, f64),
    ),
> {
    let runs = edge(run::live_runs);
    TableIterator::new(runs.into_iter().map(|run| {
        (
            run.schema,
            run.pid,
            run.workers,
            rounded(run.elapsed_s, 1),
            run.planned_s,
            run.committed,
            run.failed,
            run.new_orders_per_minute.map(|rate| rounded(rate, 1)),
            rounded(run.transactions_per_minute, 1),
        )
    }))
}

/// The results kept in every schema of this database whose `tpcc_results` the caller may read.
#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)]
fn tpcc_run_history() -> TableIterator<
    'static,
    (
        name!(schema, String),
        name!(run_id, i64),
        name!(started_at, TimestampWithTimeZone),
        name!(ended_at, TimestampWithTimeZone),
        name!(run_by, String),
        name!(result, JsonB),
    ),
> {
    let runs = edge(run::kept_runs);
    TableIterator::new(runs.into_iter().map(|run| {
        (
            run.schema,
            run.run_id,
            timestamptz(run.started_at),
            timestamptz(run.ended_at),
            run.run_by,
            JsonB(run.result),
        )
    }))
}

extension_sql_file!(
    "../../../sql/runs.sql",
    name = "runs",
    requires = [tpcc_run, tpcc_stop, tpcc_run_history],
);
