//! A session for code that waits: measurements are threads, not tasks.

use std::fmt::Display;
use std::str::FromStr;
use std::time::{Duration, Instant};

use tests::{Connection, sql};
use tokio::runtime::Runtime;
use tokio_postgres::{SimpleQueryMessage, SimpleQueryRow};

use crate::Result;

/// A session in one database; values come as text.
pub struct Session<'a> {
    runtime: &'a Runtime,
    connection: Connection,
}

impl<'a> Session<'a> {
    /// The session of an open connection.
    pub fn new(runtime: &'a Runtime, connection: Connection) -> Session<'a> {
        Session {
            runtime,
            connection,
        }
    }

    /// The rows of a statement.
    ///
    /// # Errors
    /// What the server says, with the statement.
    pub fn rows(&self, text: &str) -> Result<Vec<SimpleQueryRow>> {
        let answer = self.runtime.block_on(self.connection.simple_query(text));
        let messages = answer.map_err(|error| format!("{}\nin: {text}", sql::describe(&error)))?;
        let rows = messages.into_iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        Ok(rows.collect())
    }

    /// Runs a statement for its effect.
    pub fn run(&self, text: &str) -> Result<()> {
        self.rows(text).map(drop)
    }

    /// The first value of a statement's first row.
    ///
    /// # Errors
    /// As [`Session::rows`], and where there is none, or none of the type.
    pub fn value<T: FromStr<Err: Display>>(&self, text: &str) -> Result<T> {
        let rows = self.rows(text)?;
        let value = rows.first().and_then(|row| row.get(0));
        let value = value.ok_or_else(|| format!("no value from: {text}"))?;
        value
            .parse()
            .map_err(|error| format!("{value}: {error}, from: {text}").into())
    }

    /// Waits until a statement gives a number.
    ///
    /// # Errors
    /// As [`Session::value`], and after the limit.
    pub fn until(&self, limit: Duration, text: &str, wanted: i64) -> Result<()> {
        let start = Instant::now();
        while self.value::<i64>(text)? != wanted {
            if start.elapsed() > limit {
                return Err(format!("not {wanted} within {limit:?}: {text}").into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// The server process of this session.
    pub fn pid(&self) -> Result<u32> {
        self.value("SELECT pg_backend_pid()")
    }
}
