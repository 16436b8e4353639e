//! Why a load ended before its end.

use tokio_postgres::error::SqlState;

use crate::connect::ConnectError;

/// What can end a load. Whatever it is, the units that were committed stay.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The server does not let us in, at the start.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// What is in the schema does not fit.
    #[error("{found}\nHINT:  {hint}")]
    Refused {
        /// What was found.
        found: String,
        /// The command that mends it.
        hint: String,
    },
    /// The server refused a statement.
    #[error("{}", message(.0))]
    Server(#[from] tokio_postgres::Error),
    /// The server is gone, and did not come back in time.
    #[error(
        "the connection was lost and not made again within {seconds} s: {reason}\nHINT:  {GO_ON}"
    )]
    GaveUp {
        /// How long it was tried, in seconds.
        seconds: u64,
        /// What the last attempt gave.
        reason: String,
    },
    /// The system has no more threads or files.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A connection was lost while unlogged tables were filled: a crash may have emptied them.
    #[error("a connection was lost, and unlogged tables may be empty now\nHINT:  {GO_ON}")]
    Emptied,
    /// Ctrl-C.
    #[error("interrupted\nHINT:  {GO_ON}")]
    Interrupted,
}

const GO_ON: &str = "What was loaded stays: the same command goes on from there.";

/// What the server said, and how to go on.
fn message(error: &tokio_postgres::Error) -> String {
    let Some(db) = error.as_db_error() else {
        return format!("{}\nHINT:  {GO_ON}", error);
    };
    let mut text = format!(
        "{}:  {} ({})",
        db.severity(),
        db.message(),
        db.code().code()
    );
    if let Some(detail) = db.detail() {
        text.push_str(&format!("\nDETAIL:  {detail}"));
    }
    let hint = match db.code() {
        &SqlState::DISK_FULL => "Make room on the server's disk.",
        _ => db.hint().unwrap_or_default(),
    };
    // To say that something stays helps nobody whose statement or rights were at fault.
    let class = &db.code().code()[..2];
    let own_fault = ["42", "3F", "3D", "0A", "22", "25", "TC"].contains(&class);
    let hints = [hint, if own_fault { "" } else { GO_ON }];
    let hints: Vec<_> = hints.into_iter().filter(|hint| !hint.is_empty()).collect();
    if !hints.is_empty() {
        text.push_str(&format!("\nHINT:  {}", hints.join(" ")));
    }
    text
}
