//! Why a probe ended before its end.

use std::io;
use std::time::Duration;

use crate::connect::ConnectError;

/// Why a probe ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The server does not let us in.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server refused a statement, or went away.
    #[error("{}", described(.0))]
    Server(#[from] tokio_postgres::Error),
    /// The role may not make what was asked for.
    #[error("the role may not make {what} in this database: {grant}, or leave out --table")]
    MayNot {
        /// What.
        what: &'static str,
        /// The command that gives the right.
        grant: String,
    },
    /// No socket for the echo.
    #[error("cannot measure the floor, for want of a socket on this machine: {0}")]
    Floor(io::Error),
    /// A round trip takes longer than a part of the probe may.
    #[error("no call ended within {0:?}: give more by --time and --step-time")]
    NoCall(Duration),
    /// A thread of the client broke down.
    #[error("a thread of the client broke down: {0}")]
    Thread(String),
    /// The user pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

/// What the server said with its SQLSTATE, else what the library says.
fn described(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!(
            "{}:  {} ({})",
            db.severity(),
            db.message(),
            db.code().code()
        ),
        None => error.to_string(),
    }
}
