//! `rt_probe`.

use pgrx::prelude::*;

use super::arguments::in_range;
use crate::pg::error::edge;
use crate::probe;

/// The rows of a probe lie in a table and then in memory: a million is 100 MB.
const MAX_SAMPLES: i32 = 1_000_000;

/// Measures the server's own time for a statement: a loop of single `INSERT ... clock_timestamp()`
/// inside the server, and the gaps between the rows.
///
/// One row; times are in microseconds, which is as fine as PostgreSQL's clock, so that a mean says
/// more than a median where statements take few of them. The rows go into a temporary table that is
/// gone when the function returns; a temporary table writes no WAL.
///
/// Errors: 22004, 22023, and what PostgreSQL raises where the role may make no temporary table.
#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)]
fn rt_probe(
    samples: default!(Option<i32>, 10000),
) -> TableIterator<
    'static,
    (
        name!(samples, i64),
        name!(min_us, i64),
        name!(mean_us, f64),
        name!(p50_us, i64),
        name!(p90_us, i64),
        name!(p95_us, i64),
        name!(p99_us, i64),
        name!(p999_us, i64),
        name!(max_us, i64),
        name!(sum_us, i64),
    ),
> {
    let gaps = edge(|| probe::gaps(in_range("samples", samples, 1..=MAX_SAMPLES)?));
    let at = |quantile| gaps.value_at_quantile(quantile) as i64;
    TableIterator::once((
        gaps.count() as i64,
        gaps.min_us() as i64,
        (gaps.mean_us() * 1e3).round() / 1e3,
        at(0.5),
        at(0.9),
        at(0.95),
        at(0.99),
        at(0.999),
        gaps.max_us() as i64,
        gaps.sum_us() as i64,
    ))
}
