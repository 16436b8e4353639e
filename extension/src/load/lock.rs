//! Who may work on a schema: advisory locks that end with their transaction.

use workload::schema::lock::{IN_USE_HINT, LEADER, UNITS, holder, key};

use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi::{self, Access, Spi};

/// Asks for the leader's lock of a schema with one of PostgreSQL's functions for that.
fn try_lock(spi: &Spi, function: &str, schema: &str) -> Result<bool> {
    let mut free = false;
    let key = key(LEADER, schema);
    let sql = format!("SELECT pg_catalog.{function}({key})");
    spi.query(&sql, &[], Access::ReadOnly, |row| {
        free = row.bool(0);
        Ok(())
    })?;
    Ok(free)
}

/// Keeps two loads, or a load and a drop, out of one schema.
///
/// # Errors
/// TC004 when somebody else is at work there.
pub fn schema(schema: &str) -> Result<()> {
    spi::connect(|spi| {
        if try_lock(spi, "pg_try_advisory_xact_lock", schema)? {
            return Ok(());
        }
        let mut pid = None;
        spi.query(&holder(schema), &[], Access::ReadOnly, |row| {
            pid = Some(row.int4(0));
            Ok(())
        })?;
        let by = pid.map_or_else(String::new, |pid| format!(" in process {pid}"));
        Err(ServerError::new(
            SqlState::IN_USE,
            format!("another load, drop or run of schema \"{schema}\" is going on{by}"),
        )
        .hint(IN_USE_HINT))
    })
}

/// Keeps loads and drops out of a schema while a run is at work there; runs do not disturb each
/// other.
///
/// # Errors
/// TC004 when a load or a drop is at work there.
pub fn share(schema: &str) -> Result<()> {
    spi::connect(|spi| {
        if try_lock(spi, "pg_try_advisory_xact_lock_shared", schema)? {
            return Ok(());
        }
        Err(ServerError::new(
            SqlState::IN_USE,
            format!("a load or drop of schema \"{schema}\" is going on"),
        )
        .hint("Wait for its end."))
    })
}

/// Held by the transaction of a worker that writes rows.
///
/// # Errors
/// What PostgreSQL raises.
pub fn units(spi: &Spi, schema: &str) -> Result<()> {
    let key = key(UNITS, schema);
    let sql = format!("SELECT pg_catalog.pg_advisory_xact_lock_shared({key})");
    spi.query(&sql, &[], Access::ReadOnly, |_| Ok(()))
        .map(|_| ())
}

/// Waits until no worker of an earlier load is at work any more: one whose leader was killed may
/// still be committing its last unit.
///
/// # Errors
/// What PostgreSQL raises.
pub fn wait_for_units(spi: &Spi, schema: &str) -> Result<()> {
    let key = key(UNITS, schema);
    let sql = format!("SELECT pg_catalog.pg_advisory_xact_lock({key})");
    spi.query(&sql, &[], Access::ReadOnly, |_| Ok(()))
        .map(|_| ())
}
