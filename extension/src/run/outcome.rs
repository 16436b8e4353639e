//! What came of a run: the result document, and the rows that the caller sees.

use pgrx::pg_sys;
use workload::result::{
    Flavour, Mode, ResultDocument, RunConfig, RunFacts, SeriesPoint, ServerInfo, Setting,
    TableSize, rfc3339,
};
use workload::stats::{ErrorCount, Snapshot, TypeSummary};
use workload::tpcc::Table;

use super::clock::unix_us;
use super::schema::one_row;
use super::script;
use crate::pg::error::{Result, SqlState};
use crate::pg::spi::{self, Access, Spi};
use crate::pg::{datum, subxact};

/// What the leader brings back.
pub struct Measured {
    /// When the figures begin, in microseconds since 1970.
    pub began_unix_us: i64,
    /// How long was measured, in seconds.
    pub elapsed_s: f64,
    /// Why it ended before its time, if it did.
    pub partial_reason: Option<String>,
    /// A point a second.
    pub series: Vec<SeriesPoint>,
    /// Errors by SQLSTATE.
    pub errors: Vec<ErrorCount>,
    /// All counts.
    pub counts: Snapshot,
}

/// The rows of `tpcc_run`: a type each, then "total".
pub struct Figures(pub Vec<TypeSummary>);

/// Makes the document, keeps it in the schema with that quoted name if there is one, and tells
/// the caller in short.
///
/// # Errors
/// What PostgreSQL says when the document cannot be written.
pub fn conclude(
    config: RunConfig,
    measured: Measured,
    keep_in: Option<&String>,
) -> Result<Figures> {
    let quoted = spi::quote_identifier(&config.schema)?;
    let facts = RunFacts {
        written_by: concat!("pg_tpcc ", env!("CARGO_PKG_VERSION")).to_owned(),
        mode: Mode::Server,
        flavour: Flavour::Native,
        server: server_info(&quoted, &relations(&config))?,
        started_at: rfc3339(measured.began_unix_us),
        ended_at: rfc3339(unix_us()),
        elapsed_s: measured.elapsed_s,
        partial_reason: measured.partial_reason,
        errors: measured.errors,
        series: measured.series,
        client: None,
        config,
    };
    let document = ResultDocument::new(facts, &measured.counts);
    let kept = match keep_in {
        Some(quoted) => keep_if_possible(&document, quoted)?,
        None => None,
    };
    tell(&document, kept);
    let mut rows = document.types;
    rows.push(document.total);
    Ok(Figures(rows))
}

fn tell(document: &ResultDocument, kept: Option<i64>) {
    for error in &document.errors {
        pgrx::warning!(
            "{} transactions failed with {}: {}",
            error.count,
            error.sqlstate,
            error.first_message
        );
    }
    if let Some(reason) = &document.partial_reason {
        pgrx::warning!("the result is partial: the run was {reason}");
    }
    let kept = kept.map_or(String::new(), |run_id| {
        format!(", kept as run {run_id} in tpcc_runs")
    });
    let (rate, name) = document.headline();
    pgrx::notice!(
        "{rate:.0} {name}, {:.0} transactions/min over {:.1} s{kept}",
        document.transactions_per_minute,
        document.elapsed_s
    );
}

/// The figures of a run are worth more than their copy in the table: what hinders that is a
/// warning, unless it is a cancel.
fn keep_if_possible(document: &ResultDocument, quoted: &str) -> Result<Option<i64>> {
    match subxact::attempt(|| keep(document, quoted)) {
        Ok(run_id) => Ok(Some(run_id)),
        Err(error) if error.sqlstate == SqlState::QUERY_CANCELED => Err(error),
        Err(error) => {
            pgrx::warning!(
                "the result could not be kept in {quoted}.tpcc_results: {} ({:?})",
                error.message,
                error.sqlstate
            );
            Ok(None)
        }
    }
}

fn keep(document: &ResultDocument, quoted: &str) -> Result<i64> {
    let sql = format!(
        "INSERT INTO {quoted}.tpcc_results (started_at, ended_at, result) \
         SELECT (d ->> 'started_at')::pg_catalog.timestamptz, \
                (d ->> 'ended_at')::pg_catalog.timestamptz, d \
         FROM (SELECT $1::pg_catalog.jsonb) AS document (d) RETURNING run_id"
    );
    let mut run_id = 0;
    spi::connect(|spi| {
        one_row(spi, &sql, &[&document.to_json()], |row| {
            run_id = row.int8(0)
        })
    })?;
    Ok(run_id)
}

/// The names of the tables that were worked on.
fn relations(config: &RunConfig) -> Vec<String> {
    match script::of(config) {
        Some(script) => script.relations(),
        None => Table::ALL.map(|table| table.name().to_owned()).into(),
    }
}

fn server_info(quoted: &str, relations: &[String]) -> Result<ServerInfo> {
    spi::connect(|spi| {
        let (mut version, mut version_num) = (String::new(), 0);
        let sql = "SELECT pg_catalog.version(), \
                   pg_catalog.current_setting('server_version_num')::int4";
        one_row(spi, sql, &[], |row| {
            (version, version_num) = (row.text(0), row.int4(1))
        })?;
        Ok(ServerInfo {
            version,
            version_num,
            settings: settings(spi)?,
            tables: tables(spi, quoted, relations)?,
        })
    })
}

fn settings(spi: &Spi) -> Result<Vec<Setting>> {
    let mut settings = Vec::new();
    let sql = include_str!("../../../sql/server/settings.sql");
    one_row(spi, sql, &[], |row| {
        settings.push(Setting {
            name: row.text(0),
            value: row.text(1),
            source: row.text(2),
        });
    })?;
    Ok(settings)
}

fn tables(spi: &Spi, quoted: &str, relations: &[String]) -> Result<Vec<TableSize>> {
    let names = datum::text_array(relations.iter().map(|name| name.as_bytes()));
    let arguments = [
        (pg_sys::TEXTARRAYOID, Some(names)),
        (pg_sys::TEXTOID, Some(datum::varlena(quoted.as_bytes()))),
    ];
    let sql = include_str!("../../../sql/server/tables.sql");
    let mut tables = Vec::new();
    spi.query(sql, &arguments, Access::ReadWrite, |row| {
        tables.push(TableSize {
            name: row.text(0),
            table_bytes: row.int8(1) as u64,
            index_bytes: row.int8(2) as u64,
        });
        Ok(())
    })?;
    Ok(tables)
}
