//! `tpcb_run`.

use std::sync::Arc;

use pgrx::datum::Interval;
use pgrx::prelude::*;
use workload::tpcb::Tpcb;

use super::arguments::required;
use super::run::{number_of, row, run_function, seconds};
use crate::load;
use crate::pg::error::{Result, edge};
use crate::run::{self, Figures, Options, Task};

/// Writes the accounts of a branch into pgbench_accounts, past the executor, as a part of the caller's transaction; gives
/// their number. `big_aid` where the column aid is a bigint.
///
/// It is what `tpcc tpcb load` calls, a branch a transaction over several connections. An index that is there gets its
/// entries; no trigger fires.
///
/// Errors: 22004 for a null, 22023 for a branch that is none, 42P01 without the table, 42501 without the right to insert,
/// TC006 where it is not the table that pgbench makes (partitioned ones included), 23505 where the rows are there and keys too.
#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
fn tpcb_write_accounts(
    schema: Option<&str>,
    bid: Option<i32>,
    big_aid: default!(Option<bool>, "false"),
) -> i64 {
    let rows = edge(|| {
        load::tpcb::write_accounts(
            required("schema", schema)?,
            required("bid", bid)?,
            required("big_aid", big_aid)?,
        )
    });
    rows as i64
}

run_function! {
    /// Runs pgbench's TPC-B with background workers, and tells a row a script and a total, with the columns of `tpcc_run`.
    ///
    /// `schema` holds pgbench's tables, whoever made them (`pgbench -i`, `tpcc tpcb load`); the scale is the number of their
    /// branches. `builtin` is `tpcb-like`, `simple-update` or `select-only`, or several with weights:
    /// `tpcb-like@1,select-only@9`. The other arguments are those of `tpcc_run`; the result is kept where the schema has a
    /// table `tpcc_results`.
    ///
    /// Errors: as of `tpcc_run`; 42P01 where pgbench's tables are not there, TC003 where they are empty.
    #[pg_extern(volatile, parallel_unsafe)]
    #[search_path(pg_catalog, pg_temp)]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn tpcb_run(
        duration: default!(Option<Interval>, "'60 seconds'"),
        workers: default!(Option<i32>, "NULL"),
        schema: default!(Option<&str>, "'public'"),
        builtin: default!(Option<&str>, "'tpcb-like'"),
        ramp_up: default!(Option<Interval>, "'0 seconds'"),
        rate: default!(Option<f64>, "NULL"),
        isolation: default!(Option<&str>, "'read committed'"),
        seed: default!(Option<i64>, "NULL"),
        report_interval: default!(Option<Interval>, "'10 seconds'"),
    ) {
        let options = || -> Result<Options> {
            let schema = required("schema", schema)?;
            let shares = run::parse(required("builtin", builtin)?)?;
            Ok(Options {
                duration_s: seconds(&required("duration", duration)?),
                ramp_up_s: seconds(&required("ramp_up", ramp_up)?),
                workers: number_of(workers)?,
                schema: schema.to_owned(),
                task: Task::Script(Arc::new(Tpcb {
                    scale: run::tpcb::scale(schema)?,
                    shares,
                })),
                rate,
                keying_thinking: false,
                isolation: required("isolation", isolation)?.to_owned(),
                seed,
                report_interval_s: report_interval.as_ref().map_or(0.0, seconds),
            })
        };
        let Figures(rows) = edge(|| run::run(options()?));
        TableIterator::new(rows.into_iter().map(row))
    }
}

extension_sql!(
    "REVOKE EXECUTE ON FUNCTION tpcb_run FROM PUBLIC;",
    name = "tpcb_run_rights",
    requires = [tpcb_run]
);
