//! Why the tables of a workload cannot be used, made or dropped.

use crate::connect::{ConnectError, server_message};

use super::LoadError;

/// What is found of unlogged tables of which a load remembers nothing any more.
pub(crate) const EMPTIED: &str = "emptied by a crash while they were loaded";

/// What stands in the way, with the command that mends it.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// One is not there.
    #[error("schema \"{schema}\" has no {table}: {mend}")]
    Missing {
        /// The schema.
        schema: String,
        /// The first table that is missing.
        table: String,
        /// What makes it.
        mend: String,
    },
    /// They are there in part.
    #[error("schema \"{schema}\" is loaded in part only, {found}: {mend}")]
    Unfinished {
        /// The schema.
        schema: String,
        /// How much is there.
        found: String,
        /// What goes on with it.
        mend: String,
    },
    /// There is nothing in them.
    #[error("{table} in schema \"{schema}\" is empty: {mend}")]
    Empty {
        /// The schema.
        schema: String,
        /// The table.
        table: String,
        /// What fills it.
        mend: String,
    },
    /// They are there with another size, or by another hand.
    #[error("schema \"{schema}\" has {whose} tables already, {found}: {mend} removes them")]
    Occupied {
        /// The schema.
        schema: String,
        /// Whose tables they are by their names.
        whose: &'static str,
        /// What was found.
        found: String,
        /// What removes them.
        mend: String,
    },
    /// The load ended before its end.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// What the server says.
    #[error("{}", server_message(.0))]
    Server(#[from] tokio_postgres::Error),
}

impl From<ConnectError> for TablesError {
    fn from(error: ConnectError) -> TablesError {
        LoadError::from(error).into()
    }
}
