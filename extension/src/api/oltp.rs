//! `oltp_run`, and the rows of sysbench's tables.

use std::sync::Arc;

use pgrx::JsonB;
use pgrx::datum::Interval;
use pgrx::prelude::*;
use workload::oltp::{Knobs, MOST_TABLES, Oltp};

use super::arguments::required;
use super::run::{number_of, row, run_function, seconds};
use crate::load;
use crate::load::oltp::Span;
use crate::pg::error::{Result, ServerError, SqlState, edge};
use crate::run::{self, Figures, Options, Task};

/// Writes rows into one of sysbench's tables, past the executor, as a part of the caller's transaction; gives their number.
///
/// It is what `tpcc oltp load` calls, a chunk a transaction over several connections: rows `first` to `last` of the table
/// `sbtest<table>`, which is to have `table_size` rows. A seed gives the same rows always; `knobs` is an object with what is
/// to be other than sysbench's defaults, of which only the distribution (`rand_type` ...) matters here. An index that is
/// there gets its entries; no trigger fires.
///
/// Errors: 22004 for a null, 22023 for rows or knobs that are none, 42P01 without the table, 42501 without the right to
/// insert, TC006 where it is not the table that sysbench makes, 23505 where the rows are there and keys too.
#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
fn oltp_write_rows(
    schema: Option<&str>,
    table_number: Option<i32>,
    first: Option<i32>,
    last: Option<i32>,
    table_size: Option<i32>,
    seed: default!(Option<i64>, "1"),
    knobs: default!(Option<JsonB>, "NULL"),
) -> i64 {
    let rows = edge(|| {
        let span = Span {
            table: required("table_number", table_number)?,
            first: required("first", first)?,
            last: required("last", last)?,
            table_size: required("table_size", table_size)?,
        };
        let seed = required("seed", seed)?;
        load::oltp::write_rows(required("schema", schema)?, span, seed, &chosen(knobs)?)
    });
    rows as i64
}

/// The knobs of an object; sysbench's defaults where it has none.
fn chosen(knobs: Option<JsonB>) -> Result<Knobs> {
    let invalid = |text: String| {
        ServerError::new(SqlState::INVALID_VALUE, text).hint(
            "knobs takes an object of sysbench's flags with _ for -, such as \
             '{\"point_selects\": 1, \"rand_type\": \"zipfian\"}'.",
        )
    };
    let knobs: Knobs = match knobs {
        Some(JsonB(object)) => {
            serde_json::from_value(object).map_err(|error| invalid(format!("knobs: {error}")))?
        }
        None => Knobs::default(),
    };
    knobs.check().map_err(|error| invalid(error.to_string()))?;
    Ok(knobs)
}

/// How many tables; all where it is null.
fn tables_of(asked: Option<i32>) -> Result<Option<u32>> {
    let count = |asked| {
        u32::try_from(asked)
            .ok()
            .filter(|tables| (1..=MOST_TABLES).contains(tables))
            .ok_or_else(|| {
                ServerError::new(
                    SqlState::INVALID_VALUE,
                    format!("tables is {asked}, and 1 to {MOST_TABLES} was expected"),
                )
            })
    };
    asked.map(count).transpose()
}

run_function! {
    /// Runs one of sysbench's OLTP scripts with background workers, and tells a row a script and a total, with the columns of
    /// `tpcc_run`.
    ///
    /// `schema` holds sysbench's tables, whoever made them (`sysbench prepare`, `tpcc oltp load`). `variant` is the script:
    /// `oltp_read_write`, `oltp_read_only`, `oltp_write_only`, `oltp_point_select`, `oltp_update_index`,
    /// `oltp_update_non_index`, `oltp_insert` or `oltp_delete`. `tables` is how many are used, all without it; ids are drawn up
    /// to `table_size`, without it up to the highest in sbtest1. `knobs` is an object of sysbench's flags with `_` for `-`:
    /// `{"point_selects": 1, "rand_type": "zipfian"}`. The other arguments are those of `tpcc_run`; the result is kept where
    /// the schema has a table `tpcc_results`. A transaction that meets 23505 is tried again as after 40001: another one has
    /// inserted the row between its delete and its insert.
    ///
    /// Errors: as of `tpcc_run`; 42P01 where the tables are not there, TC003 where they are empty.
    #[pg_extern(volatile, parallel_unsafe)]
    #[search_path(pg_catalog, pg_temp)]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn oltp_run(
        duration: default!(Option<Interval>, "'60 seconds'"),
        workers: default!(Option<i32>, "NULL"),
        schema: default!(Option<&str>, "'public'"),
        variant: default!(Option<&str>, "'oltp_read_write'"),
        tables: default!(Option<i32>, "NULL"),
        table_size: default!(Option<i32>, "NULL"),
        knobs: default!(Option<JsonB>, "NULL"),
        ramp_up: default!(Option<Interval>, "'0 seconds'"),
        rate: default!(Option<f64>, "NULL"),
        isolation: default!(Option<&str>, "'read committed'"),
        seed: default!(Option<i64>, "NULL"),
        report_interval: default!(Option<Interval>, "'10 seconds'"),
    ) {
        let options = || -> Result<Options> {
            let schema = required("schema", schema)?;
            let variant = run::parse(required("variant", variant)?)?;
            let knobs = chosen(knobs)?;
            let (tables, highest) = run::oltp::size(schema, tables_of(tables)?)?;
            let invalid = |text: String| Err(ServerError::new(SqlState::INVALID_VALUE, text));
            let script = Oltp {
                tables,
                table_size: table_size.unwrap_or(highest),
                variant,
                knobs,
            };
            if script.table_size < 1 {
                return invalid(format!(
                    "table_size is {}, and 1 or more was expected",
                    script.table_size
                ));
            }
            if script.is_empty() {
                return invalid(format!(
                    "a transaction of {variant} would have no statement: every knob of it is 0"
                ));
            }
            Ok(Options {
                duration_s: seconds(&required("duration", duration)?),
                ramp_up_s: seconds(&required("ramp_up", ramp_up)?),
                workers: number_of(workers)?,
                schema: schema.to_owned(),
                task: Task::Script(Arc::new(script)),
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
    "REVOKE EXECUTE ON FUNCTION oltp_run FROM PUBLIC;",
    name = "oltp_run_rights",
    requires = [oltp_run]
);
