//! Who may work on a schema: the keys of PostgreSQL's advisory locks.

use super::script::literal;

/// The first half of the lock that a load or a drop holds, and that runs share.
pub const LEADER: i32 = 0x7470_6363;
/// The first half of the lock that the transactions which write rows share.
pub const UNITS: i32 = LEADER + 1;

/// What whoever is kept out may do.
pub const IN_USE_HINT: &str = "Wait for its end, or stop it by Ctrl-C where it runs; SELECT tpcc_stop() ends a run of the \
     extension, pg_cancel_backend() its load.";

/// The two arguments of an advisory lock of a schema.
pub fn key(class: i32, schema: &str) -> String {
    format!("{class}, pg_catalog.hashtext({})", literal(schema))
}

/// Which process holds the leader's lock, as a query.
pub fn holder(schema: &str) -> String {
    format!(
        "SELECT pid FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted \
         AND classid::int8 = {LEADER} \
         AND objid::int8 = pg_catalog.hashtext({})::int8 & 4294967295 \
         AND pid <> pg_catalog.pg_backend_pid()",
        literal(schema)
    )
}
