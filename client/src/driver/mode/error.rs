//! Why a transaction failed.

use std::error::Error;

use tokio_postgres::error::SqlState;

/// A transaction that was neither committed nor rolled back by the standard's 1%.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    /// What the server says; or the connection is gone.
    #[error("{}", in_a_line(.0))]
    Server(#[from] tokio_postgres::Error),
    /// A row that the input tells of, or that another row promises, is not there: which.
    #[error("{0} does not exist")]
    Missing(String),
    /// The functions that are to be called are not there.
    #[error(
        "the extension pg_tpcc, whose functions the native flavour calls, is not in this database: \
         run CREATE EXTENSION pg_tpcc, or choose --flavour plpgsql"
    )]
    NoExtension,
    /// A value that is not of the kind that was asked for: which, and what it is.
    #[error("cannot read {0}")]
    Unreadable(String),
}

/// As the functions say that a row is missing.
const NO_SUCH_ROW: &str = "TC002";
/// As PostgreSQL says that there is no such function.
const NO_SUCH_FUNCTION: &str = "42883";
/// As PostgreSQL says that a value is none of its type.
const UNREADABLE: &str = "22P02";

/// What helps where prepared statements get lost, told by the SQLSTATE: 26000, one that the server process does
/// not know; 42P05, one that somebody else has left there.
pub fn pooler_hint(sqlstate: &str) -> Option<&'static str> {
    ["26000", "42P05"].contains(&sqlstate).then_some(
        "Through a connection pooler prepared statements may get lost: take --protocol simple or extended.",
    )
}

impl TransactionError {
    /// The SQLSTATE; none where the connection is gone.
    pub fn sqlstate(&self) -> Option<&str> {
        match self {
            TransactionError::Server(error) => error.code().map(SqlState::code),
            TransactionError::Missing(_) => Some(NO_SUCH_ROW),
            TransactionError::NoExtension => Some(NO_SUCH_FUNCTION),
            TransactionError::Unreadable(_) => Some(UNREADABLE),
        }
    }

    /// What happened, in a line.
    pub fn message(&self) -> String {
        self.to_string()
    }

    /// Whether nothing more can be asked on the connection: it has ended, or the system says so.
    pub fn is_connection_lost(&self) -> bool {
        match self {
            TransactionError::Server(error) => {
                error.is_closed()
                    || error
                        .source()
                        .is_some_and(|source| source.is::<std::io::Error>())
            }
            _ => false,
        }
    }
}

fn in_a_line(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => db.message().to_owned(),
        None => error.to_string(),
    }
}
