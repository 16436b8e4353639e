//! Errors as values inside, PostgreSQL errors with a SQLSTATE at the edge.

use std::ffi::{CStr, c_char, c_int};
use std::panic::AssertUnwindSafe;

use pgrx::pg_sys;
use pgrx::pg_sys::panic::{CaughtError, ErrorReportWithLevel};
use pgrx::prelude::*;

/// A five-character SQLSTATE.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SqlState(pub [u8; 5]);

impl SqlState {
    /// The order holds an unused item: clause 2.4.1.4's 1%, rolled back on purpose.
    pub const UNUSED_ITEM: Self = Self(*b"TC001");
    /// No such warehouse, district or customer in the schema.
    pub const NO_SUCH_ROW: Self = Self(*b"TC002");
    /// The schema holds no data, or a load did not finish.
    pub const NOT_LOADED: Self = Self(*b"TC003");
    /// Another load or run stands in the way.
    pub const IN_USE: Self = Self(*b"TC004");
    /// A background worker of a load or run went away before it was done.
    pub const WORKER_LOST: Self = Self(*b"TC005");
    /// The tables are not what pg_tpcc made.
    pub const FOREIGN_TABLE: Self = Self(*b"TC006");
    /// `invalid_parameter_value`
    pub const INVALID_VALUE: Self = Self(*b"22023");
    /// `null_value_not_allowed`
    pub const NULL_VALUE: Self = Self(*b"22004");
    /// `insufficient_privilege`
    pub const INSUFFICIENT_PRIVILEGE: Self = Self(*b"42501");
    /// `query_canceled`
    pub const QUERY_CANCELED: Self = Self(*b"57014");
    /// `undefined_table`
    pub const UNDEFINED_TABLE: Self = Self(*b"42P01");
    /// `invalid_schema_name`
    pub const UNDEFINED_SCHEMA: Self = Self(*b"3F000");
    /// `active_sql_transaction`
    pub const ACTIVE_TRANSACTION: Self = Self(*b"25001");
    /// `configuration_limit_exceeded`
    pub const CONFIGURATION_LIMIT: Self = Self(*b"53400");
    /// `internal_error`
    pub const INTERNAL: Self = Self(*b"XX000");

    /// The five characters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("XX000")
    }

    /// From PostgreSQL's packed form (`MAKE_SQLSTATE`).
    pub fn from_packed(packed: i32) -> Self {
        Self(std::array::from_fn(|i| {
            ((packed >> (6 * i)) & 0x3F) as u8 + b'0'
        }))
    }

    /// To PostgreSQL's packed form.
    pub fn packed(self) -> i32 {
        self.0.iter().rev().fold(0, |packed, c| {
            (packed << 6) | ((*c as i32 - '0' as i32) & 0x3F)
        })
    }
}

impl std::fmt::Debug for SqlState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What went wrong in the server: SQLSTATE, what was found, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// The SQLSTATE the caller sees.
    pub sqlstate: SqlState,
    /// What was found and what was expected.
    pub message: String,
    /// More about it, if there is more.
    pub detail: Option<String>,
    /// The command that mends it, where one does.
    pub hint: Option<String>,
}

/// The result of everything inside the extension.
pub type Result<T> = std::result::Result<T, ServerError>;

impl ServerError {
    /// An error without detail or hint.
    pub fn new(sqlstate: SqlState, message: impl Into<String>) -> Self {
        Self {
            sqlstate,
            message: message.into(),
            detail: None,
            hint: None,
        }
    }

    /// The same error with a detail.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The same error with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn from_report(report: &ErrorReportWithLevel) -> Self {
        Self {
            sqlstate: SqlState::from_packed(report.sql_error_code() as i32),
            message: report.message().to_owned(),
            detail: report.detail().map(str::to_owned),
            hint: report.hint().map(str::to_owned),
        }
    }
}

/// Runs `body` and turns a PostgreSQL error or a Rust panic in it into a value.
///
/// It does not undo what `body` did: the caller must end the (sub)transaction before it
/// touches the database again.
pub fn catch<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    PgTryBuilder::new(AssertUnwindSafe(body))
        .catch_others(|cause| Err(from_caught(&cause)))
        .catch_rust_panic(|cause| Err(from_caught(&cause)))
        .execute()
}

fn from_caught(cause: &CaughtError) -> ServerError {
    match cause {
        CaughtError::PostgresError(report)
        | CaughtError::ErrorReport(report)
        | CaughtError::RustPanic {
            ereport: report, ..
        } => ServerError::from_report(report),
    }
}

/// The edge of a `#[pg_extern]` function: runs its body and raises what went wrong in it.
///
/// PostgreSQL errors pass through [`catch`] too: pgrx would add a Rust backtrace to them where
/// the server's environment has `RUST_BACKTRACE`, and the transaction is aborted either way.
pub fn edge<T>(body: impl FnOnce() -> Result<T>) -> T {
    match catch(body) {
        Ok(value) => value,
        Err(error) => raise(error),
    }
}

// pgrx keeps these out of its bindings, and its own ereport knows only the SQLSTATEs that
// PostgreSQL names: class TC would be reported as XX000.
unsafe extern "C-unwind" {
    fn errstart(elevel: c_int, domain: *const c_char) -> bool;
    fn errfinish(filename: *const c_char, lineno: c_int, funcname: *const c_char);
    fn errcode(sqlerrcode: c_int) -> c_int;
    fn errmsg(fmt: *const c_char, ...) -> c_int;
    fn errdetail(fmt: *const c_char, ...) -> c_int;
    fn errhint(fmt: *const c_char, ...) -> c_int;
}

/// Raises `error` as a PostgreSQL ERROR.
///
/// To be called only at the edge of a `#[pg_extern]` function, when nothing with a destructor
/// is alive any more (see [`edge`]).
pub fn raise(error: ServerError) -> ! {
    const PERCENT_S: &CStr = c"%s";
    let code = error.sqlstate.packed();
    let message = palloc_cstr(&error.message);
    let detail = error
        .detail
        .as_deref()
        .map_or(std::ptr::null(), palloc_cstr);
    let hint = error.hint.as_deref().map_or(std::ptr::null(), palloc_cstr);
    drop(error);
    // SAFETY: this is what the ereport() macro does, on the backend's only thread. The strings
    // are palloc'd and live until the error is reported; every Rust value of this frame is
    // dropped or trivial, and the frames above are #[pg_extern] wrappers whose arguments were
    // moved into calls that have returned, so the long jump out of errfinish skips no destructor.
    unsafe {
        if errstart(PgLogLevel::ERROR as c_int, std::ptr::null()) {
            errcode(code);
            errmsg(PERCENT_S.as_ptr(), message);
            if !detail.is_null() {
                errdetail(PERCENT_S.as_ptr(), detail);
            }
            if !hint.is_null() {
                errhint(PERCENT_S.as_ptr(), hint);
            }
            errfinish(c"pg_tpcc".as_ptr(), 0, c"raise".as_ptr());
        }
    }
    unreachable!("an ERROR does not return")
}

/// A NUL-terminated copy in the current memory context; NUL bytes inside become spaces.
fn palloc_cstr(text: &str) -> *const c_char {
    // SAFETY: palloc returns len + 1 writable bytes or raises.
    unsafe {
        let copy = pg_sys::palloc(text.len() + 1).cast::<u8>();
        for (i, byte) in text.bytes().enumerate() {
            copy.add(i).write(if byte == 0 { b' ' } else { byte });
        }
        copy.add(text.len()).write(0);
        copy.cast()
    }
}
