//! What a run of sysbench's scripts must know of its tables.

use workload::oltp::table;

use super::schema::one_row;
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi;

/// The number of sysbench's tables in a schema, from sbtest1 on without a gap, and the highest id in the first one.
/// `asked` is how many there must be.
///
/// # Errors
/// 42P01 where they are not there, TC003 where the first is empty.
pub fn size(schema: &str, asked: Option<u32>) -> Result<(u32, i32)> {
    let hint = format!(
        "tpcc oltp load --schema '{}', or sysbench oltp_read_write prepare",
        schema.replace('\'', "''")
    );
    let (mut tables, mut highest) = (0, 0);
    spi::connect(|spi| {
        let quoted = spi::quote_identifier(schema)?;
        // Numbers that stand where they would without a gap.
        let sql = "SELECT pg_catalog.count(*) FROM (
                       SELECT number, pg_catalog.row_number() OVER (ORDER BY number) AS place
                       FROM (SELECT pg_catalog.substr(c.relname::text, 7)::int8 AS number
                             FROM pg_catalog.pg_class c
                             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                             WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
                               AND c.relname ~ '^sbtest[1-9][0-9]{0,3}$') AS numbers) AS places
                   WHERE number = place";
        one_row(spi, sql, &[schema], |row| tables = row.int8(0) as u32)?;
        let wanted = asked.unwrap_or(tables.max(1));
        if tables < wanted {
            return Err(ServerError::new(
                SqlState::UNDEFINED_TABLE,
                format!(
                    "schema \"{schema}\" has no table {}, and {wanted} of sysbench's tables were expected",
                    table(tables + 1)
                ),
            )
            .hint(hint.clone()));
        }
        tables = wanted;
        let sql = format!("SELECT coalesce(pg_catalog.max(id), 0)::int8 FROM {quoted}.sbtest1");
        one_row(spi, &sql, &[], |row| highest = row.int8(0))
    })?;
    match i32::try_from(highest) {
        Ok(highest @ 1..) => Ok((tables, highest)),
        _ => Err(ServerError::new(
            SqlState::NOT_LOADED,
            format!("sbtest1 in schema \"{schema}\" has no id that an int4 holds: 1 and more were expected"),
        )
        .hint(hint)),
    }
}
