//! `tpcc_load`.

use pgrx::JsonB;
use pgrx::prelude::*;
use workload::schema::Fillfactors;

use super::arguments::{in_range, required};
use crate::load::{self, Arguments, TableReport};
use crate::pg::error::{Result, ServerError, SqlState, edge};
use crate::pg::spi;

/// Loads warehouses 1 to `warehouses` (clause 4.3.3), or what is missing of them.
///
/// Creates the schema and its tables where they are missing, writes the rows with `workers`
/// background workers (by default one a CPU), builds keys and indexes, vacuums and analyzes. A load
/// that was cut short goes on where it stopped; a larger number adds warehouses; nothing is ever
/// loaded twice. `seed` (by default that of the schema, and 1 for a new one) gives the same rows
/// whatever the number of workers. `unlogged` and `fillfactors` (an object of table names and per
/// cents) count for tables that are created.
///
/// Returns a row a table: its rows, its size with indexes in bytes, and the seconds that the workers
/// spent on it in this call, added up.
///
/// # Errors
/// 22023 for a bad value or another seed, 25001 inside a transaction block or function, 53400 with
/// too few worker slots, TC004 while another load is at work in the schema, TC006 where a table is
/// not as tpcc_load makes it or holds other rows; any error of a worker under its own SQLSTATE.
#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn tpcc_load(
    warehouses: default!(Option<i32>, 1),
    workers: default!(Option<i32>, "NULL"),
    schema: default!(Option<&str>, "'tpcc'"),
    seed: default!(Option<i64>, "NULL"),
    foreign_keys: default!(Option<bool>, false),
    unlogged: default!(Option<bool>, false),
    fillfactors: default!(Option<JsonB>, "NULL"),
) -> TableIterator<
    'static,
    (
        name!(table_name, String),
        name!(row_count, i64),
        name!(bytes, i64),
        name!(seconds, f64),
    ),
> {
    let reports = edge(|| {
        let warehouses = in_range("warehouses", warehouses, 1..=i32::MAX)?;
        let workers = load::worker_count(workers, warehouses)?;
        let schema = required("schema", schema)?;
        let arguments = Arguments {
            warehouses,
            seed,
            schema: schema.to_owned(),
            quoted: spi::quote_identifier(schema)?,
            foreign_keys: required("foreign_keys", foreign_keys)?,
            unlogged: required("unlogged", unlogged)?,
            fillfactors: match fillfactors {
                Some(JsonB(choices)) => chosen_fillfactors(&choices)?,
                None => Fillfactors::default(),
            },
        };
        load::load(&arguments, workers)
    });
    TableIterator::new(reports.into_iter().map(|report| {
        let TableReport {
            table,
            rows,
            bytes,
            seconds,
        } = report;
        (table.name().to_owned(), rows as i64, bytes as i64, seconds)
    }))
}

fn chosen_fillfactors(choices: &serde_json::Value) -> Result<Fillfactors> {
    Fillfactors::with(choices).map_err(|found| {
        ServerError::new(SqlState::INVALID_VALUE, found).hint(
            "fillfactors takes an object of table names and percentages, such as \
             '{\"stock\": 85, \"customer\": 90}'.",
        )
    })
}

extension_sql!(
    "REVOKE EXECUTE ON FUNCTION tpcc_load(int4, int4, text, int8, bool, bool, jsonb) FROM PUBLIC;",
    name = "tpcc_load_rights",
    requires = [tpcc_load]
);
