//! Who may work on a schema: advisory locks that end with their transaction.

use workload::schema::script::literal;

use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi::{self, Access, Spi};

/// The first half of the lock that the leader of a load, or a drop, holds.
const LEADER: i32 = 0x7470_6363;
/// The first half of the lock that the transactions of workers share.
const UNITS: i32 = LEADER + 1;

fn key(class: i32, schema: &str) -> String {
    format!("{class}, pg_catalog.hashtext({})", literal(schema))
}

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
        let mut holder = None;
        let sql = format!(
            "SELECT pid FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted \
             AND classid::int8 = {LEADER} \
             AND objid::int8 = pg_catalog.hashtext({})::int8 & 4294967295",
            literal(schema)
        );
        spi.query(&sql, &[], Access::ReadOnly, |row| {
            holder = Some(row.int4(0));
            Ok(())
        })?;
        let (by, pid) = match holder {
            Some(pid) => (format!(" in process {pid}"), pid.to_string()),
            None => Default::default(),
        };
        Err(ServerError::new(
            SqlState::IN_USE,
            format!("another load, drop or run of schema \"{schema}\" is going on{by}"),
        )
        .hint(format!(
            "Wait for its end, or stop it: SELECT pg_cancel_backend({pid});"
        )))
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
