//! The tables of the scan in a schema: what is there, and what is remembered of their load.

use tokio_postgres::Client;
use workload::scan::{Chunks, Span};
use workload::schema::script::literal;

use super::{DEFAULT_SCHEMA, ScanError};
use crate::load::query::{number, rows, text};
use crate::schema::{quote_identifier, schema_flag};

/// How many tables there are: the rows, and two with what is remembered.
const TABLES: usize = 3;

/// A table that a load made, or is making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Rows that are to be there.
    pub(super) rows: i64,
    /// The seed of the rows.
    pub(super) seed: i64,
    /// Whether a load came to its end.
    pub(super) vacuumed: bool,
    /// The rows that are there.
    pub(super) made: Vec<Span>,
    /// How many of them match.
    pub(super) matching: i64,
    /// Whether the table is unlogged.
    pub(super) unlogged: bool,
    /// Whether the role may alter it.
    pub(super) owned: bool,
    /// Its size in bytes.
    pub(super) bytes: u64,
}

impl Found {
    /// What is still to be made.
    pub(super) fn missing(&self) -> Chunks {
        Chunks::missing(self.rows, &self.made)
    }
}

/// A verb of the scan with the schema's flag, as a command to type.
pub(super) fn command(verb: &str, schema: &str) -> String {
    format!("tpcc scan {verb}{}", schema_flag(schema, DEFAULT_SCHEMA))
}

/// Looks for the tables in a schema; none where there are none of their names.
///
/// # Errors
/// [`ScanError::Refused`] where tables of these names are not what a load made.
pub(super) async fn find(client: &Client, schema: &str) -> Result<Option<Found>, ScanError> {
    let sql = include_str!("../../../sql/scan/find.sql").replace("{name}", &literal(schema));
    let tables = rows(client, &sql).await?;
    let Some(first) = tables.first() else {
        return Ok(None);
    };
    let foreign = |name: &str, why: &str| ScanError::Refused {
        found: format!("{name} in schema \"{schema}\" was not made by tpcc scan load: {why}"),
        hint: "Take another schema: --schema NAME".to_owned(),
    };
    if let Some(other) = tables.iter().find(|row| text(row, 1) != "t") {
        return Err(foreign(
            text(other, 0),
            "it is no plain table, or has other columns",
        ));
    }
    if tables.len() < TABLES {
        return Err(foreign(
            text(first, 0),
            "what is remembered of a load is not beside it",
        ));
    }
    let sql = include_str!("../../../sql/scan/state.sql");
    let state = rows(client, &sql.replace("{schema}", &quote_identifier(schema))).await?;
    let Some(line) = state.first() else {
        return Err(foreign("scan_state", "it is empty"));
    };
    let made = state.iter().filter(|row| row.get(3).is_some());
    Ok(Some(Found {
        rows: number(line, 0),
        seed: number(line, 1),
        vacuumed: text(line, 2) == "t",
        made: made
            .map(|row| Span {
                first: number(row, 3),
                last: number(row, 4),
            })
            .collect(),
        matching: state.iter().map(|row| number(row, 5)).sum(),
        unlogged: text(first, 2) == "t",
        owned: text(first, 3) == "t",
        bytes: number(first, 4) as u64,
    }))
}
