//! The rows of sysbench's tables, written straight into the heap.

use workload::oltp::{Knobs, MOST_TABLES, SbtestRow, SbtestRows, table};

use crate::pg::bulk::{Buffers, BulkWriter};
use crate::pg::error::{Result, ServerError, SqlState};

/// Bytes of a row in the heap.
const ROW_BYTES: u64 = 8192 / 36;

/// Which rows of which table are written.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// The table's number.
    pub table: i32,
    /// The first row.
    pub first: i32,
    /// The last row.
    pub last: i32,
    /// Rows of the table when it is whole: k is drawn up to it.
    pub table_size: i32,
}

impl Span {
    fn check(&self) -> Result<()> {
        let invalid = |text: String| Err(ServerError::new(SqlState::INVALID_VALUE, text));
        let Span {
            table,
            first,
            last,
            table_size,
        } = *self;
        if !(1..=MOST_TABLES as i32).contains(&table) {
            return invalid(format!(
                "table {table} was asked for, and a table is 1 to {MOST_TABLES}"
            ));
        }
        if first < 1 || last < first || table_size < last {
            return invalid(format!(
                "rows {first} to {last} of {table_size} were asked for: 1 <= first <= last <= table_size was expected"
            ));
        }
        Ok(())
    }
}

/// Writes rows in the caller's transaction; gives their number.
///
/// # Errors
/// 22023 where there are no such rows, and those of [`BulkWriter::open`].
pub fn write_rows(schema: &str, span: Span, seed: i64, knobs: &Knobs) -> Result<u64> {
    span.check()?;
    knobs
        .check()
        .map_err(|error| ServerError::new(SqlState::INVALID_VALUE, error.to_string()))?;
    let buffers = Buffers::for_size(span.last as u64 * ROW_BYTES);
    let name = table(span.table as u32);
    let mut writer = BulkWriter::<SbtestRow>::open(schema, &name, buffers)?;
    let rows = SbtestRows::new(seed, span.table_size, knobs);
    for row in rows.of(span.table as u32, span.first, span.last) {
        writer.push(&row);
    }
    Ok(writer.finish())
}
