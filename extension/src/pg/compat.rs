//! What differs between the PostgreSQL majors we build for; a new major touches this file.

use std::ffi::{CStr, c_int};

use pgrx::pg_sys;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;

// pgrx leaves this out of its bindings.
unsafe extern "C-unwind" {
    fn pq_check_connection() -> bool;
}

mod handlers {
    use std::ffi::c_int;

    // The functions themselves, not the guarded wrappers pgrx makes of them: they run as signal
    // handlers, where nothing of pgrx may run.
    unsafe extern "C-unwind" {
        pub fn die(signal: c_int);
        pub fn SignalHandlerForConfigReload(signal: c_int);
    }
}

/// Whether this backend's client is still there, without reading from its socket.
pub fn client_is_connected() -> bool {
    // SAFETY: MyProcPort is null in a process without a client; else it is this backend's
    // connection, and pq_check_connection polls that socket.
    unsafe { pg_sys::MyProcPort.is_null() || pg_guard_ffi_boundary(|| pq_check_connection()) }
}

/// Makes a worker end at SIGTERM as a backend does, at the next check for interrupts, and
/// notice SIGHUP; then lets signals in.
///
/// PostgreSQL's default for a worker raises FATAL from inside the handler; pgrx's sets a flag of
/// its own that a wait for a row lock does not look at.
pub fn install_worker_signal_handlers() {
    install_signal_handler(pg_sys::SIGTERM, handlers::die);
    install_signal_handler(pg_sys::SIGHUP, handlers::SignalHandlerForConfigReload);
    // SAFETY: both handlers are in place.
    unsafe { pg_sys::BackgroundWorkerUnblockSignals() };
}

/// A signal handler as PostgreSQL knows it.
type SignalHandler = unsafe extern "C-unwind" fn(c_int);

/// Installs `handler` for `signal`.
///
/// From PostgreSQL 18 on `pqsignal` is a macro over `pqsignal_be`.
fn install_signal_handler(signal: u32, handler: SignalHandler) {
    // SAFETY: called while the worker's signals are still blocked, with one of PostgreSQL's own
    // handlers, which do nothing but set flags and the latch.
    unsafe {
        #[cfg(feature = "pg18")]
        pg_sys::pqsignal_be(signal as c_int, Some(handler));
        #[cfg(not(feature = "pg18"))]
        pg_sys::pqsignal(signal as c_int, Some(handler));
    }
}

/// The number that `pg_stat_activity.wait_event` shows as `name`.
///
/// Before PostgreSQL 17 extensions share one wait event, `Extension`, and the name is not used.
pub fn wait_event(name: &CStr) -> u32 {
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    // SAFETY: registers the name in shared memory once, or finds it there.
    unsafe {
        pg_sys::WaitEventExtensionNew(name.as_ptr())
    }
    #[cfg(not(any(feature = "pg17", feature = "pg18")))]
    {
        let _ = name;
        pg_sys::PG_WAIT_EXTENSION
    }
}
