//! The isolation level of a connection's transactions.

use tokio_postgres::{Client, Error, SimpleQueryMessage};

/// Makes it the level of the connection's transactions, if it is not so already.
pub(in crate::driver) async fn set(client: &Client, level: &str) -> Result<(), Error> {
    if !is_default(client, level).await? {
        let sql = format!("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {level}");
        client.batch_execute(&sql).await?;
    }
    Ok(())
}

/// What begins a transaction of that level.
pub(super) async fn begin(client: &Client, level: &str) -> Result<String, Error> {
    Ok(match is_default(client, level).await? {
        true => "BEGIN".to_owned(),
        false => format!("BEGIN ISOLATION LEVEL {level}"),
    })
}

/// Whether a transaction has that level when nothing is said.
async fn is_default(client: &Client, level: &str) -> Result<bool, Error> {
    let messages = client
        .simple_query("SHOW default_transaction_isolation")
        .await?;
    Ok(messages.iter().any(|message| match message {
        SimpleQueryMessage::Row(row) => row
            .get(0)
            .is_some_and(|found| found.eq_ignore_ascii_case(level)),
        _ => false,
    }))
}
