//! One call after the other over one connection, each with its time.

use std::time::{Duration, Instant};

use tokio_postgres::{Client, Error};

use super::ProbeError;
use super::times::Times;
use crate::wire::Link;

/// A statement with as little to do as a statement can have.
pub const SELECT_1: &str = "SELECT 1";

/// How much to measure: whichever is reached first.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// At most so many calls.
    pub samples: u64,
    /// At most so long.
    pub time: Duration,
}

/// What share of the effort goes into calls that do not count, so that caches and plans are warm.
const WARM_UP: u32 = 20;

/// Calls again and again; each time is from the call to its answer.
///
/// # Errors
/// What the first call that fails says.
pub async fn repeat(
    link: &mut Link,
    effort: Effort,
    mut call: impl AsyncFnMut(&Client) -> Result<(), Error>,
) -> Result<Times, ProbeError> {
    let result = link
        .drive(async |client| {
            let warm = Instant::now() + effort.time / WARM_UP;
            for _ in 0..=effort.samples / u64::from(WARM_UP) {
                call(client).await?;
                if Instant::now() > warm {
                    break;
                }
            }
            let mut times = Times::default();
            let mut before = Instant::now();
            let end = before + effort.time;
            while times.count() < effort.samples && before < end {
                call(client).await?;
                let after = Instant::now();
                times.record(after - before);
                before = after;
            }
            Ok(times)
        })
        .await;
    result.map_err(|error| lost(link, error))
}

/// The reason that the connection gave before it broke says more than that it is broken.
pub fn lost(link: &mut Link, error: Error) -> ProbeError {
    match link.take_loss() {
        Some(reason) if error.is_closed() => reason.into(),
        _ => error.into(),
    }
}

/// Executes a statement that was prepared before: Bind, Execute, Sync.
///
/// # Errors
/// As [`repeat`].
pub async fn prepared(link: &mut Link, sql: &str, effort: Effort) -> Result<Times, ProbeError> {
    let statement = link.drive(async |client| client.prepare(sql).await).await;
    let statement = statement.map_err(|error| lost(link, error))?;
    repeat(link, effort, async |client| {
        client.execute(&statement, &[]).await.map(|_| ())
    })
    .await
}

/// Executes it through the unnamed statement: Parse, Bind, Describe, Execute, Sync.
///
/// # Errors
/// As [`repeat`].
pub async fn extended(link: &mut Link, sql: &str, effort: Effort) -> Result<Times, ProbeError> {
    repeat(link, effort, async |client| {
        client.execute_typed(sql, &[]).await.map(|_| ())
    })
    .await
}

/// Sends its text: Query.
///
/// # Errors
/// As [`repeat`].
pub async fn simple(link: &mut Link, sql: &str, effort: Effort) -> Result<Times, ProbeError> {
    repeat(link, effort, async |client| client.batch_execute(sql).await).await
}

/// Runs statements for their effect.
///
/// # Errors
/// What the server says.
pub async fn run(link: &mut Link, sql: &str) -> Result<(), ProbeError> {
    let result = link
        .drive(async |client| client.batch_execute(sql).await)
        .await;
    result.map_err(|error| lost(link, error))
}
