//! `tpcc_drop`.

use pgrx::prelude::*;

use super::arguments::required;
use crate::load::drop::drop_all;
use crate::pg::error::edge;

/// Drops the nine tables of a schema and what is remembered of its loads; the results of runs stay
/// unless `results` (or there are none), and the schema goes too when nothing is left in it.
///
/// # Errors
/// 3F000 without such a schema, TC006 where it holds tables that tpcc_load did not make, TC004
/// while a load is at work there: nothing is dropped then.
#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
fn tpcc_drop(schema: default!(Option<&str>, "'tpcc'"), results: default!(Option<bool>, false)) {
    edge(|| drop_all(required("schema", schema)?, required("results", results)?));
}

extension_sql!(
    "REVOKE EXECUTE ON FUNCTION tpcc_drop(text, bool) FROM PUBLIC;",
    name = "tpcc_drop_rights",
    requires = [tpcc_drop]
);
