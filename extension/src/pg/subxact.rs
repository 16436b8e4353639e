//! A subtransaction whose work is thrown away.

use pgrx::pg_sys;

use super::error::{Result, catch};

/// Runs `body` in a subtransaction and rolls its work back when it returned.
///
/// A PostgreSQL error in `body` passes through: the abort of the transaction ends the
/// subtransaction too.
pub fn rolled_back<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: in a transaction; memory context and resource owner are put back as PL/pgSQL's
    // exception blocks do, so that an open SPI connection goes on.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        pg_sys::MemoryContextSwitchTo(context);
        let result = body();
        pg_sys::RollbackAndReleaseCurrentSubTransaction();
        pg_sys::MemoryContextSwitchTo(context);
        pg_sys::CurrentResourceOwner = owner;
        result
    }
}

/// Runs `body` in a subtransaction that is kept where it went well and undone where it did not, so
/// that the transaction around it goes on either way.
pub fn attempt<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: as in `rolled_back`; an error has left the subtransaction open, and its rollback
    // puts SPI and resources back to where it began.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        pg_sys::MemoryContextSwitchTo(context);
        let result = catch(body);
        match result {
            Ok(_) => pg_sys::ReleaseCurrentSubTransaction(),
            Err(_) => pg_sys::RollbackAndReleaseCurrentSubTransaction(),
        }
        pg_sys::MemoryContextSwitchTo(context);
        pg_sys::CurrentResourceOwner = owner;
        result
    }
}
