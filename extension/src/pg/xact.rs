//! Transactions of a background worker, each one committed or rolled back by itself.

use std::ffi::CString;

use pgrx::pg_sys;

use super::error::{Result, ServerError, catch};

/// How a transaction whose body went well is to end.
pub enum End<T> {
    /// Keep what it did.
    Commit(T),
    /// Undo what it did, and give the value all the same.
    RollBack(T),
}

/// Runs `body` in a transaction with a snapshot: committed when it is `Ok`, rolled back when it
/// is an error.
///
/// # Errors
/// As [`transaction_ending`].
pub fn transaction<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    transaction_ending(|| body().map(End::Commit))
}

/// As [`transaction`], but `body` says how it ends.
///
/// Must be called outside of a transaction. Memory that `body` takes from PostgreSQL is freed
/// with the transaction. The snapshot is there because SPI insists on one; statements that are
/// not read-only take their own.
///
/// # Errors
/// What `body` gives, what PostgreSQL raises in it, and what it raises while committing. After
/// an error the next transaction can begin at once.
pub fn transaction_ending<T>(body: impl FnOnce() -> Result<End<T>>) -> Result<T> {
    let ended = catch(|| {
        // SAFETY: the worker is connected to a database and outside of a transaction; an error
        // or panic anywhere in here goes to the abort below.
        unsafe {
            pg_sys::SetCurrentStatementStartTimestamp();
            pg_sys::StartTransactionCommand();
        }
        let end = with_snapshot(body)?;
        if let End::Commit(_) = end {
            // SAFETY: the transaction above is open and no snapshot of ours is left.
            unsafe { pg_sys::CommitTransactionCommand() };
        }
        Ok(end)
    });
    match ended {
        Ok(End::Commit(value)) => Ok(value),
        Ok(End::RollBack(value)) => {
            abort();
            Ok(value)
        }
        Err(error) => {
            abort();
            Err(error)
        }
    }
}

/// Runs `body` under a fresh snapshot that is there for this call alone.
///
/// # Errors
/// What `body` gives; its caller then ends the transaction.
pub fn with_snapshot<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: in a transaction; the snapshot is popped below, or by the abort that follows an
    // error.
    unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot()) };
    let value = body()?;
    // SAFETY: pushed above, and `body` leaves the stack as it found it.
    unsafe { pg_sys::PopActiveSnapshot() };
    Ok(value)
}

/// Ends whatever transaction is open by rolling it back; does nothing outside of one.
pub fn abort() {
    // SAFETY: AbortCurrentTransaction may be called in any state of the transaction.
    unsafe { pg_sys::AbortCurrentTransaction() };
}

/// What `pg_stat_activity` shows of this worker.
pub enum Activity<'a> {
    /// Working: `state` is `active` and `query` is this text.
    Running(&'a str),
    /// Waiting for the time of its next transaction: `state` is `idle`.
    Idle,
}

/// Reports `activity` to `pg_stat_activity`. Outside of a transaction it costs about a
/// microsecond, so callers report a change, not each transaction.
pub fn report_activity(activity: Activity<'_>) {
    // SAFETY: the text is copied into this backend's entry before the call returns.
    unsafe {
        match activity {
            Activity::Running(text) => {
                let text = CString::new(text).unwrap_or_default();
                pg_sys::pgstat_report_activity(pg_sys::BackendState::STATE_RUNNING, text.as_ptr());
            }
            Activity::Idle => {
                pg_sys::pgstat_report_activity(pg_sys::BackendState::STATE_IDLE, std::ptr::null())
            }
        }
    }
}

/// Hands the counts of tables and indexes to the statistics system, without which autovacuum
/// would see nothing of what a worker does. To be called about once a second, outside of a
/// transaction.
///
/// # Errors
/// What PostgreSQL raises.
pub fn report_statistics(force: bool) -> std::result::Result<(), ServerError> {
    catch(|| {
        // SAFETY: connected to a database, outside of a transaction.
        unsafe { pg_sys::pgstat_report_stat(force) };
        Ok(())
    })
}

/// Reads the configuration files again when the postmaster was told to reload them.
///
/// # Errors
/// What PostgreSQL raises.
pub fn reload_settings_if_asked() -> std::result::Result<(), ServerError> {
    // SAFETY: the flag is set by PostgreSQL's SIGHUP handler in this process.
    unsafe {
        if pg_sys::ConfigReloadPending == 0 {
            return Ok(());
        }
        pg_sys::ConfigReloadPending = 0;
    }
    catch(|| {
        // SAFETY: outside of a transaction, as PostgreSQL's own workers do it.
        unsafe { pg_sys::ProcessConfigFile(pg_sys::GucContext::PGC_SIGHUP) };
        Ok(())
    })
}
