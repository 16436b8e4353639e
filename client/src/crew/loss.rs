//! Connections that are lost: how one knows, and how long another one is tried.

use std::time::{Duration, Instant};

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::LoadError;

/// The first pause before a connection is made again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// So often a connection may be lost over one task, however long that takes.
const MANY_LOSSES: u32 = 5;

/// What was said last: by the server, where it said something.
pub(super) fn reason(error: &Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{} ({})", db.message(), db.code().code()),
        None => error.to_string(),
    }
}

/// Whether the connection, not the statement, is what failed.
pub(crate) fn is_loss(error: &Error) -> bool {
    let gone = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
    ];
    match error.code() {
        Some(code) => gone.contains(code),
        None => true,
    }
}

/// Whether an error says that what was to be made is there: the server process of a connection that was
/// lost may have come to its end behind our back.
pub(crate) fn is_there_already(error: &Error) -> bool {
    let there = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_OBJECT,
        SqlState::INVALID_TABLE_DEFINITION,
    ];
    error.code().is_some_and(|code| there.contains(code))
}

/// The losses over one task.
pub(crate) struct Losses {
    limit: Duration,
    first: Option<Instant>,
    count: u32,
}

impl Losses {
    /// None yet; a task may meet them for this long.
    pub(crate) fn new(limit: Duration) -> Losses {
        Losses {
            limit,
            first: None,
            count: 0,
        }
    }

    /// Counts one more.
    ///
    /// # Errors
    /// [`LoadError::GaveUp`] when the connection is lost again and again over the time for which a lost one is
    /// tried.
    pub(crate) fn count(&mut self, error: &Error) -> Result<(), LoadError> {
        let since = *self.first.get_or_insert_with(Instant::now);
        self.count += 1;
        if self.count <= MANY_LOSSES || since.elapsed() <= self.limit {
            return Ok(());
        }
        Err(LoadError::GaveUp {
            seconds: self.limit.as_secs(),
            reason: format!(
                "it was lost {} times over one task, the last time by: {}",
                self.count,
                reason(error)
            ),
        })
    }
}

/// Tries to open a connection until the time is over, or the others have stopped.
///
/// # Errors
/// [`LoadError::GaveUp`], [`LoadError::Interrupted`], and what is no matter of the connection.
pub(crate) async fn reopen<T>(
    is_stopped: impl Fn() -> bool,
    limit: Duration,
    mut open: impl AsyncFnMut() -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    let lost = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        tokio::time::sleep(pause).await;
        pause = (2 * pause).min(LONGEST_PAUSE);
        if is_stopped() {
            return Err(LoadError::Interrupted);
        }
        let reason = match open().await {
            Ok(opened) => return Ok(opened),
            Err(LoadError::Server(error)) if !is_loss(&error) => return Err(error.into()),
            Err(error @ (LoadError::Connect(_) | LoadError::Server(_))) => error,
            Err(error) => return Err(error),
        };
        if lost.elapsed() > limit {
            let reason = reason.to_string();
            return Err(LoadError::GaveUp {
                seconds: limit.as_secs(),
                reason: reason.lines().next().unwrap_or_default().to_owned(),
            });
        }
    }
}
