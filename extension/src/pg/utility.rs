//! Commands that need a transaction of their own, run by a background worker at top level.

use std::ffi::CString;

use pgrx::pg_sys;

use super::error::{Result, ServerError, SqlState, catch};
use super::xact;

/// Runs one utility command (CREATE INDEX, ALTER TABLE, VACUUM ...) in a transaction of its own, as
/// if a client had sent it; VACUUM may then end and begin transactions as it likes.
///
/// To be called outside of a transaction, in a background worker.
///
/// # Errors
/// What PostgreSQL raises; the transaction is rolled back then.
pub fn run(sql: &str) -> Result<()> {
    let text = CString::new(sql)
        .map_err(|_| ServerError::new(SqlState::INTERNAL, "a command has a NUL byte in it"))?;
    // SAFETY: `portal` is a child of TopMemoryContext: VACUUM keeps its own memory in PortalContext
    // over its transactions, and a background worker has none (autovacuum makes one likewise).
    let portal = unsafe {
        let portal = pg_sys::AllocSetContextCreateExtended(
            pg_sys::TopMemoryContext,
            c"pg_tpcc utility command".as_ptr(),
            pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        );
        pg_sys::PortalContext = portal;
        portal
    };
    let done = catch(|| {
        // SAFETY: outside of a transaction, in a process that is connected to a database; an error
        // anywhere in here goes to the abort below. The statement, and what ProcessUtility itself
        // allocates, lives in `portal`, which outlasts every transaction that VACUUM goes through.
        unsafe {
            pg_sys::SetCurrentStatementStartTimestamp();
            pg_sys::StartTransactionCommand();
            pg_sys::MemoryContextSwitchTo(portal);
            let raw = pg_sys::list_nth(pg_sys::pg_parse_query(text.as_ptr()), 0)
                .cast::<pg_sys::RawStmt>();
            let mut statement =
                pgrx::PgBox::<pg_sys::PlannedStmt>::alloc_node(pg_sys::NodeTag::T_PlannedStmt);
            statement.commandType = pg_sys::CmdType::CMD_UTILITY;
            statement.canSetTag = true;
            statement.utilityStmt = (*raw).stmt;
            statement.stmt_location = (*raw).stmt_location;
            statement.stmt_len = (*raw).stmt_len;
            let statement = statement.into_pg();
            // VACUUM must not find a snapshot; the others need one, as PortalRunUtility knows.
            let needs_snapshot = (*(*raw).stmt).type_ != pg_sys::NodeTag::T_VacuumStmt;
            if needs_snapshot {
                pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
            }
            pg_sys::ProcessUtility(
                statement,
                text.as_ptr(),
                false,
                pg_sys::ProcessUtilityContext::PROCESS_UTILITY_TOPLEVEL,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                pg_sys::None_Receiver,
                std::ptr::null_mut(),
            );
            if needs_snapshot {
                pg_sys::PopActiveSnapshot();
            }
            pg_sys::MemoryContextSwitchTo(pg_sys::TopTransactionContext);
            pg_sys::CommitTransactionCommand();
        }
        Ok(())
    });
    if done.is_err() {
        xact::abort();
    }
    // SAFETY: the command is over, and the transaction too; nothing points into `portal` any more.
    unsafe {
        pg_sys::PortalContext = std::ptr::null_mut();
        pg_sys::MemoryContextDelete(portal);
    }
    done
}
