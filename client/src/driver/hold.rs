//! What a run asks of the server beside its transactions: that loads and drops keep out, and that long
//! statements may be long.

use tokio_postgres::{Client, SimpleQueryMessage};
use workload::schema::lock::{LEADER, key};

use crate::connect::server_message;

/// Why a run may not begin.
#[derive(Debug, thiserror::Error)]
pub enum HoldError {
    /// A load or a drop is at work.
    #[error("a load or drop of schema \"{0}\" is going on: wait for its end")]
    InUse(String),
    /// What the server says.
    #[error("{}", server_message(.0))]
    Server(#[from] tokio_postgres::Error),
}

/// Lifts the limit that the role or the database has for a statement: a run is a long one.
///
/// # Errors
/// What the server says.
pub async fn lift_statement_timeout(client: &Client) -> Result<(), tokio_postgres::Error> {
    let limited = client
        .simple_query("SHOW statement_timeout")
        .await?
        .iter()
        .any(|message| matches!(message, SimpleQueryMessage::Row(row) if row.get(0) != Some("0")));
    if limited {
        client.batch_execute("SET statement_timeout = 0").await?;
    }
    Ok(())
}

/// Takes the locks that the extension's runs take too; they end with the session, or with
/// [`release`].
///
/// They belong to an open transaction, which holds no snapshot while it waits: a session's lock would stay
/// behind in a connection pool.
///
/// # Errors
/// [`HoldError`].
pub async fn hold<'a>(
    client: &Client,
    schemas: impl IntoIterator<Item = &'a str>,
) -> Result<(), HoldError> {
    client
        .batch_execute("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0")
        .await?;
    for schema in schemas {
        let key = key(LEADER, schema);
        let sql = format!("SELECT pg_catalog.pg_try_advisory_xact_lock_shared({key})");
        let free = client.simple_query(&sql).await?.iter().any(
            |message| matches!(message, SimpleQueryMessage::Row(row) if row.get(0) == Some("t")),
        );
        if !free {
            return Err(HoldError::InUse(schema.to_owned()));
        }
    }
    Ok(())
}

/// Lets loads and drops in again.
///
/// # Errors
/// What the server says.
pub async fn release(client: &Client) -> Result<(), tokio_postgres::Error> {
    client.batch_execute("COMMIT").await
}
