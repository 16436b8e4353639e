//! Queries whose answers come as text.

use tokio_postgres::{Client, Error, SimpleQueryMessage, SimpleQueryRow};

/// The rows of one query.
pub(crate) async fn rows(client: &Client, sql: &str) -> Result<Vec<SimpleQueryRow>, Error> {
    let messages = client.simple_query(sql).await?.into_iter();
    Ok(messages
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        })
        .collect())
}

/// The first column of the rows of one query.
pub(crate) async fn names(client: &Client, sql: &str) -> Result<Vec<String>, Error> {
    let rows = rows(client, sql).await?;
    Ok(rows.iter().map(|row| text(row, 0).to_owned()).collect())
}

/// A column; NULL is nothing.
pub(crate) fn text(row: &SimpleQueryRow, column: usize) -> &str {
    row.get(column).unwrap_or_default()
}

/// A column with a number.
pub(crate) fn number(row: &SimpleQueryRow, column: usize) -> i64 {
    text(row, column).parse().unwrap_or_default()
}
