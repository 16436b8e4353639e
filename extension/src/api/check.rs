//! `tpcc_check`.

use pgrx::prelude::*;

use super::arguments::required;
use crate::check;
use crate::pg::error::edge;

/// Checks the twelve consistency conditions of clause 3.3.2 in one snapshot, a row each.
///
/// `violations` counts the rows, districts or warehouses that break a condition; `example` names
/// one of them.
///
/// Errors: 22004, 3F000 (no such schema), TC003 (no data in it).
#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
fn tpcc_check(
    schema: default!(Option<&str>, "'tpcc'"),
) -> TableIterator<
    'static,
    (
        name!(condition, i32),
        name!(description, String),
        name!(holds, bool),
        name!(violations, i64),
        name!(example, Option<String>),
    ),
> {
    let findings = edge(|| check::run(required("schema", schema)?));
    TableIterator::new(findings.into_iter().map(|finding| {
        (
            finding.condition,
            finding.description,
            finding.violations == 0,
            finding.violations,
            finding.example,
        )
    }))
}
