//! Waiting without holding back the horizon.
//!
//! A session that waits inside a SELECT keeps the snapshot of that SELECT, and with it every
//! row version that the workers leave behind: nobody can prune or vacuum them, and the hot rows
//! of warehouse and district grow long chains. [`Unpinned`] is the proof that the statement
//! reads nothing through its snapshot, so that the session may take its xmin back while it
//! waits. The next snapshot taken sets it again, as at the start of any statement.

use std::time::Duration;

use pgrx::pg_sys;

use super::error::{Result, ServerError, SqlState};
use super::spi::{self, Access};
use super::{datum, latch};

/// The right to wait without a snapshot, for as long as the current statement runs.
pub struct Unpinned(());

impl Unpinned {
    /// Makes sure that nothing in this session reads through an older snapshot: read committed,
    /// no transaction block, not inside another function, and a plain SELECT from it that
    /// neither reads a table nor calls a function that did not come with PostgreSQL.
    ///
    /// `call` is how the caller is to be called, for the hint: `SELECT * FROM tpcc_run(...)`.
    ///
    /// # Errors
    /// 25001 with that hint otherwise.
    pub fn begin(call: &str) -> Result<Self> {
        let function = call
            .trim_start_matches("SELECT * FROM ")
            .split('(')
            .next()
            .unwrap_or(call);
        let refuse =
            |why: &str| {
                Err(ServerError::new(
                SqlState::ACTIVE_TRANSACTION,
                format!("{function}() cannot run {why}"),
            )
            .detail(
                "While it waits it must hold no snapshot, or the row versions its workers leave \
                 behind could not be removed and would slow down what is measured.",
            )
            .hint(format!("Call it as a statement of its own, in read committed: {call};")))
            };
        // SAFETY: these read the state of this backend's transaction; the list nodes belong to
        // the running portal, which lives longer than the call.
        unsafe {
            if pg_sys::XactIsoLevel > pg_sys::XACT_READ_COMMITTED as i32 {
                return refuse("in repeatable read or serializable");
            }
            if pg_sys::IsInTransactionBlock(true) {
                return refuse("inside a transaction block");
            }
            if !answers_a_client(pg_sys::ActivePortal) {
                return refuse("inside another function");
            }
            let Some(statement) = select_of(pg_sys::ActivePortal) else {
                return refuse("in anything but a plain SELECT");
            };
            if !reads_no_table(statement) {
                return refuse("in a statement that reads a table");
            }
            let own = hash_of_function(function)?;
            let called = functions_called(statement);
            if !called.contains(&own) {
                return refuse("inside another function");
            }
            if called.iter().any(|hash| *hash != own) {
                return refuse("in a statement that calls other functions");
            }
            if pg_sys::GetTopTransactionIdIfAny() != pg_sys::InvalidTransactionId {
                return refuse("after something was written in the same transaction");
            }
        }
        Ok(Self(()))
    }

    /// Waits as [`latch::wait`] does, with no xmin shown to the others meanwhile.
    pub fn wait(&self, timeout: Duration) {
        release();
        latch::wait(timeout);
    }
}

/// Takes this session's xmin back.
fn release() {
    // SAFETY: an `Unpinned` exists, so no snapshot that is still registered will be read
    // through; a later GetSnapshotData sets xmin anew, as it does whenever xmin is invalid.
    // Writing one's own xmin without a lock is what SnapshotResetXmin does.
    unsafe {
        pg_sys::InvalidateCatalogSnapshot();
        (*pg_sys::MyProc).xmin = pg_sys::InvalidTransactionId;
    }
}

/// The statement that the portal runs, if it is one SELECT.
///
/// # Safety
/// `portal` is null or the portal that runs now.
unsafe fn select_of(portal: pg_sys::Portal) -> Option<*const pg_sys::PlannedStmt> {
    // SAFETY: a running portal holds a list of PlannedStmt.
    unsafe {
        if portal.is_null() {
            return None;
        }
        let mut statements = elements((*portal).stmts);
        let statement = statements.next()?.cast::<pg_sys::PlannedStmt>();
        let is_select = (*statement).commandType == pg_sys::CmdType::CMD_SELECT
            && (*statement).utilityStmt.is_null()
            && !(*statement).hasModifyingCTE;
        (is_select && statements.next().is_none()).then_some(statement)
    }
}

/// Whether the statement's range table holds functions, subqueries and constants alone.
///
/// # Safety
/// `statement` is a planned statement.
unsafe fn reads_no_table(statement: *const pg_sys::PlannedStmt) -> bool {
    // SAFETY: `rtable` lists RangeTblEntry.
    unsafe {
        elements((*statement).rtable).all(|entry| {
            let entry = entry.cast::<pg_sys::RangeTblEntry>();
            (*entry).rtekind != pg_sys::RTEKind::RTE_RELATION
                && (*entry).relid == pg_sys::InvalidOid
        })
    }
}

/// Whether what the portal gives goes to the client, and not to a function that opened it.
///
/// # Safety
/// `portal` is null or the portal that runs now.
unsafe fn answers_a_client(portal: pg_sys::Portal) -> bool {
    // SAFETY: a portal that runs a SELECT has a query descriptor, with its destination set.
    unsafe {
        if portal.is_null() || (*portal).queryDesc.is_null() {
            // A utility statement: `select_of` says no to it.
            return true;
        }
        let receiver = (*(*portal).queryDesc).dest;
        receiver.is_null()
            || [
                pg_sys::CommandDest::DestDebug,
                pg_sys::CommandDest::DestRemote,
                pg_sys::CommandDest::DestRemoteExecute,
            ]
            .contains(&(*receiver).mydest)
    }
}

/// The functions that the statement calls, beside those that come with PostgreSQL, as hashes.
///
/// Another than the one that waits, if it is STABLE, would read through the statement's old
/// snapshot after the wait; and where the one that waits is not among them, another calls it.
///
/// # Safety
/// `statement` is a planned statement.
unsafe fn functions_called(statement: *const pg_sys::PlannedStmt) -> Vec<u32> {
    // SAFETY: `invalItems` lists PlanInvalItem: what the plan depends on, among that every
    // function that PostgreSQL did not bring along.
    unsafe {
        elements((*statement).invalItems)
            .map(|item| item.cast::<pg_sys::PlanInvalItem>())
            .filter(|item| (**item).cacheId == pg_sys::SysCacheIdentifier::PROCOID as i32)
            .map(|item| (*item).hashValue)
            .collect()
    }
}

/// The hash by which plans know this extension's function of that name.
fn hash_of_function(name: &str) -> Result<u32> {
    const SQL: &str = "SELECT p.oid::int8
        FROM pg_catalog.pg_extension e
        JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::regclass
            AND d.refobjid = e.oid AND d.classid = 'pg_catalog.pg_proc'::regclass
        JOIN pg_catalog.pg_proc p ON p.oid = d.objid
        WHERE e.extname = 'pg_tpcc' AND p.proname = $1";
    let mut oid = 0;
    spi::connect(|spi| {
        let name = (pg_sys::TEXTOID, Some(datum::varlena(name.as_bytes())));
        spi.query(SQL, &[name], Access::ReadOnly, |row| {
            oid = row.int8(0);
            Ok(())
        })
    })?;
    // SAFETY: computes the hash of a key, and reads no row.
    Ok(unsafe {
        pg_sys::GetSysCacheHashValue(
            pg_sys::SysCacheIdentifier::PROCOID as i32,
            pg_sys::Datum::from(oid),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
        )
    })
}

/// The pointers of a list, which may be null.
///
/// # Safety
/// `list` is null or a list of pointers that outlives the iterator.
unsafe fn elements(list: *const pg_sys::List) -> impl Iterator<Item = *mut std::ffi::c_void> {
    // SAFETY: a List has `length` cells at `elements`.
    unsafe {
        let length = if list.is_null() {
            0
        } else {
            (*list).length as usize
        };
        (0..length).map(move |i| (*(*list).elements.add(i)).ptr_value)
    }
}
