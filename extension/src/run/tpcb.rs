//! What a run of TPC-B must know of pgbench's tables.

use super::schema::one_row;
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi;

/// The number of branches in a schema, which is the scale of pgbench's tables.
///
/// # Errors
/// 42P01 without those tables, TC003 where there is no branch.
pub fn scale(schema: &str) -> Result<i32> {
    let mut branches = 0;
    spi::connect(|spi| {
        let quoted = spi::quote_identifier(schema)?;
        let sql = format!("SELECT pg_catalog.count(*) FROM {quoted}.pgbench_branches");
        one_row(spi, &sql, &[], |row| branches = row.int8(0))
    })?;
    i32::try_from(branches)
        .ok()
        .filter(|branches| *branches > 0)
        .ok_or_else(|| {
            ServerError::new(
                SqlState::NOT_LOADED,
                format!("pgbench_branches in schema \"{schema}\" has {branches} rows: 1 a scale was expected"),
            )
            .hint(format!("tpcc tpcb load --schema '{}', or pgbench -i", schema.replace('\'', "''")))
        })
}
