//! Queries as the tests write them: text in, text out, so that numerics compare by their digits.

use std::time::{Duration, Instant};

use tokio_postgres::error::DbError;
use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};

/// A name as a quoted identifier.
pub fn ident(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as a string literal.
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The rows of one statement; an error of the server fails the test with the statement's text.
pub async fn rows(client: &Client, sql: &str) -> Vec<SimpleQueryRow> {
    match client.simple_query(sql).await {
        Ok(messages) => messages
            .into_iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(row),
                _ => None,
            })
            .collect(),
        Err(error) => panic!("{}\nin: {}", describe(&error), short(sql)),
    }
}

/// The only row of one statement.
pub async fn row(client: &Client, sql: &str) -> SimpleQueryRow {
    let mut rows = rows(client, sql).await;
    assert_eq!(rows.len(), 1, "one row was expected from: {sql}");
    rows.remove(0)
}

/// The rows of one statement as lists of texts, a null as `NULL`.
pub async fn table(client: &Client, sql: &str) -> Vec<Vec<String>> {
    rows(client, sql)
        .await
        .iter()
        .map(|row| {
            (0..row.len())
                .map(|i| row.get(i).unwrap_or("NULL").to_owned())
                .collect()
        })
        .collect()
}

/// The only value of one statement, a null as `NULL`.
pub async fn value(client: &Client, sql: &str) -> String {
    row(client, sql).await.get(0).unwrap_or("NULL").to_owned()
}

/// The only value of one statement as an integer.
pub async fn number(client: &Client, sql: &str) -> i64 {
    let value = value(client, sql).await;
    value
        .parse()
        .unwrap_or_else(|_| panic!("{value} is no integer, from: {sql}"))
}

/// Runs statements for their effect.
pub async fn run(client: &Client, sql: &str) {
    if let Err(error) = client.batch_execute(sql).await {
        panic!("{}\nin: {}", describe(&error), short(sql));
    }
}

/// The server's error for a statement that must fail.
pub async fn error(client: &Client, sql: &str) -> DbError {
    match client.simple_query(sql).await {
        Ok(_) => panic!("it should have failed: {sql}"),
        Err(error) => match error.as_db_error() {
            Some(error) => error.clone(),
            None => panic!(
                "the connection broke instead of an error: {error}\nin: {}",
                short(sql)
            ),
        },
    }
}

/// Asserts that a statement fails with this SQLSTATE and that its message holds each of `words`.
pub async fn fails(client: &Client, sql: &str, sqlstate: &str, words: &[&str]) -> DbError {
    let error = error(client, sql).await;
    assert_eq!(
        error.code().code(),
        sqlstate,
        "{}\nin: {sql}",
        error.message()
    );
    for word in words {
        assert!(
            error.message().contains(word),
            "\"{}\" does not say \"{word}\"\nin: {sql}",
            error.message()
        );
    }
    error
}

/// Waits until a query says `t`; fails after 60 seconds.
pub async fn until(client: &Client, sql: &str) {
    assert!(
        within(client, Duration::from_secs(60), sql).await,
        "this never became true: {sql}"
    );
}

/// Whether a query says `t` before the time is over.
pub async fn within(client: &Client, limit: Duration, sql: &str) -> bool {
    let end = Instant::now() + limit;
    while value(client, sql).await != "t" {
        if Instant::now() > end {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    true
}

/// An error with all that the server said.
pub fn describe(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!(
            "{}: {}{}{}",
            db.code().code(),
            db.message(),
            db.detail()
                .map(|s| format!("\nDETAIL: {s}"))
                .unwrap_or_default(),
            db.hint()
                .map(|s| format!("\nHINT: {s}"))
                .unwrap_or_default()
        ),
        None => error.to_string(),
    }
}

/// The start of a statement, for messages.
fn short(sql: &str) -> &str {
    let end = sql.char_indices().nth(400).map_or(sql.len(), |(i, _)| i);
    &sql[..end]
}
