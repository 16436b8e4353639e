//! The functions of the library that background workers start in, and the types they share.
//!
//! They stand here because only here may the compiler be told what it cannot check: that an
//! exported name is ours alone, and that a type may lie in shared memory. A job adds its two
//! items:
//!
//! ```text
//! // SAFETY: LoadBoard is repr(C) and made of atomics.
//! unsafe impl Shared for crate::load::LoadBoard {}
//!
//! /// The load's workers start here.
//! #[pg_guard]
//! #[unsafe(no_mangle)]
//! pub extern "C-unwind" fn pg_tpcc_load_worker(argument: pg_sys::Datum) {
//!     crew::serve::<crate::load::LoadJob>(argument);
//! }
//! ```

use pgrx::{pg_guard, pg_sys};

use super::crew;
use super::shared::Shared;

// SAFETY: LoadShared is repr(C) and made of atomics and arrays of them.
unsafe impl Shared for crate::load::LoadShared {}

/// The load's workers start here.
#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pg_tpcc_load_worker(argument: pg_sys::Datum) {
    crew::serve::<crate::load::LoadJob>(argument);
}

// SAFETY: RunBoard is repr(C) and made of atomics, down to workload's recorder, whose zero bytes
// are a fresh one.
unsafe impl Shared for crate::run::RunBoard {}

/// The terminals of `tpcc_run` start here.
#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pg_tpcc_run_worker(argument: pg_sys::Datum) {
    crew::serve::<crate::run::RunJob>(argument);
}
