//! The kept results of all schemas.

use crate::pg::error::Result;
use crate::pg::spi::{self, Access, Spi};

use super::schema::one_row;

/// A result document as it was kept.
pub struct KeptRun {
    /// Schema of the data.
    pub schema: String,
    /// Its number there.
    pub run_id: i64,
    /// When the figures begin: microseconds since 2000-01-01 00:00 UTC.
    pub started_at: i64,
    /// When they end.
    pub ended_at: i64,
    /// The role that ran it.
    pub run_by: String,
    /// The document.
    pub result: serde_json::Value,
}

/// The runs kept in every schema whose `tpcc_results` the current role may read.
///
/// Only ordinary tables of the expected columns and without row security are read, so that
/// reading them runs nobody else's code with the rights of the caller.
///
/// # Errors
/// What PostgreSQL raises.
pub fn kept_runs() -> Result<Vec<KeptRun>> {
    spi::connect(|spi| {
        let mut schemas = Vec::new();
        candidates(spi, None, |schema| schemas.push(schema))?;
        let mut runs = Vec::new();
        for schema in schemas {
            read(spi, &schema, &mut runs)?;
        }
        Ok(runs)
    })
}

fn candidates(spi: &Spi, only: Option<&str>, mut see: impl FnMut(String)) -> Result<()> {
    let sql = "SELECT n.nspname::text FROM pg_catalog.pg_class c \
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
               WHERE c.relname = 'tpcc_results' AND c.relkind = 'r' AND NOT c.relrowsecurity \
                 AND ($1 = '' OR n.nspname = $1) \
                 AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') \
                 AND pg_catalog.has_table_privilege(c.oid, 'SELECT') \
                 AND 5 = (SELECT count(*) FROM pg_catalog.pg_attribute a \
                     WHERE a.attrelid = c.oid AND NOT a.attisdropped \
                       AND (a.attname::text, a.atttypid) IN ( \
                           ('run_id', 'pg_catalog.int8'::pg_catalog.regtype), \
                           ('started_at', 'pg_catalog.timestamptz'::pg_catalog.regtype), \
                           ('ended_at', 'pg_catalog.timestamptz'::pg_catalog.regtype), \
                           ('run_by', 'pg_catalog.name'::pg_catalog.regtype), \
                           ('result', 'pg_catalog.jsonb'::pg_catalog.regtype))) \
               ORDER BY 1";
    one_row(
        spi,
        sql,
        &[only.unwrap_or_default()],
        |row| see(row.text(0)),
    )
}

fn read(spi: &Spi, schema: &str, runs: &mut Vec<KeptRun>) -> Result<()> {
    let quoted = spi::quote_identifier(schema)?;
    // Locked first and looked at again, so that it is still the table that was looked at.
    spi.run(&format!(
        "LOCK TABLE ONLY {quoted}.tpcc_results IN ACCESS SHARE MODE"
    ))?;
    let mut still_there = false;
    candidates(spi, Some(schema), |_| still_there = true)?;
    if !still_there {
        return Ok(());
    }
    let sql = format!(
        "SELECT run_id, started_at, ended_at, run_by::text, result::text \
         FROM ONLY {quoted}.tpcc_results ORDER BY run_id"
    );
    spi.query(&sql, &[], Access::ReadWrite, |row| {
        runs.push(KeptRun {
            schema: schema.to_owned(),
            run_id: row.int8(0),
            started_at: row.timestamp(1),
            ended_at: row.timestamp(2),
            run_by: row.text(3),
            result: serde_json::from_slice(row.bytes(4)).unwrap_or_default(),
        });
        Ok(())
    })?;
    Ok(())
}
