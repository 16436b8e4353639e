//! `tpcb_run`.

use std::sync::Arc;

use pgrx::datum::Interval;
use pgrx::prelude::*;
use workload::tpcb::Tpcb;

use super::arguments::required;
use super::run::{number_of, row, run_function, seconds};
use crate::pg::error::{Result, edge};
use crate::run::{self, Figures, Options, Task};

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
