//! Waiting for something to happen: the latch, interrupts, and the client's connection.

use std::cell::OnceCell;
use std::ffi::c_long;
use std::time::Duration;

use pgrx::pg_sys;

use super::compat;

thread_local! {
    static WAIT_EVENT: OnceCell<u32> = const { OnceCell::new() };
}

/// Acts on a pending cancel or terminate: raises an ERROR, or ends the process by FATAL.
pub fn check_for_interrupts() {
    pg_sys::check_for_interrupts!();
}

/// As [`check_for_interrupts`], for a worker between two transactions: a cancel is meant for a
/// statement, and there is none to cancel.
pub fn check_between_transactions() {
    // SAFETY: PostgreSQL itself forgets a cancel that comes while a backend is idle.
    unsafe { pg_sys::QueryCancelPending = 0 };
    check_for_interrupts();
}

/// Waits until the process's latch is set or `timeout` is over, and acts on interrupts.
///
/// Timeouts are whole milliseconds, rounded up. `pg_stat_activity` shows the wait event
/// `pg_tpcc` (PostgreSQL 17 and later).
pub fn wait(timeout: Duration) {
    let timeout_ms = timeout.as_micros().div_ceil(1000).min(i32::MAX as u128) as c_long;
    let event = WAIT_EVENT.with(|event| *event.get_or_init(|| compat::wait_event(c"pg_tpcc")));
    let wakes = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH;
    check_for_interrupts();
    // SAFETY: MyLatch is this process's own latch from its start to its end.
    unsafe {
        pg_sys::WaitLatch(pg_sys::MyLatch, wakes as i32, timeout_ms, event);
        pg_sys::ResetLatch(pg_sys::MyLatch);
    }
    check_for_interrupts();
}

/// As [`wait`], for a worker between two transactions (see [`check_between_transactions`]).
pub fn wait_between_transactions(timeout: Duration) {
    check_between_transactions();
    wait(timeout);
}

/// Ends this backend (FATAL, as PostgreSQL does itself) when its client has gone away.
pub fn check_client() {
    if !compat::client_is_connected() {
        // SAFETY: the two flags are what PostgreSQL's own client_connection_check_interval
        // sets in this process; check_for_interrupts acts on them.
        unsafe {
            pg_sys::ClientConnectionLost = 1;
            pg_sys::InterruptPending = 1;
        }
    }
    check_for_interrupts();
}
