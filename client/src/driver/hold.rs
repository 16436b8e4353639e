//! What a run asks of the server beside its transactions: that loads and drops keep out, and that long
//! statements may be long.

use std::convert::Infallible;
use std::time::Duration;

use tokio_postgres::{Client, SimpleQueryMessage};
use workload::schema::lock::{LEADER, key};

use super::mode::set_isolation;
use crate::connect::{BEGIN_SAFELY, Connector, LIFT_TIMEOUTS, Session, server_message};

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

/// Lifts the limits of the role or the database for a session that loads, runs or checks for long. What is
/// not limited is not touched, since a pooled session is somebody else's afterwards.
///
/// # Errors
/// What the server says.
pub async fn lift_timeouts(client: &Client) -> Result<(), tokio_postgres::Error> {
    client.batch_execute(LIFT_TIMEOUTS).await
}

/// The same, and read committed, for a call of a function that waits without a snapshot.
///
/// # Errors
/// What the server says.
pub async fn prepare_long_call(client: &Client) -> Result<(), tokio_postgres::Error> {
    lift_timeouts(client).await?;
    set_isolation(client, "read committed").await
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
    client.batch_execute(BEGIN_SAFELY).await?;
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

/// How often a guard looks whether it still holds its locks.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// The session that holds the locks of a run, taken again when it is lost.
pub struct Guard {
    session: Session,
    connector: Connector,
    schemas: Vec<String>,
}

impl Guard {
    /// Takes the locks.
    ///
    /// # Errors
    /// [`HoldError`].
    pub async fn begin(
        session: Session,
        connector: &Connector,
        schemas: &[&str],
    ) -> Result<Guard, HoldError> {
        hold(&session, schemas.iter().copied()).await?;
        Ok(Guard {
            session,
            connector: connector.clone(),
            schemas: schemas.iter().map(|name| (*name).to_owned()).collect(),
        })
    }

    /// Watches for ever. A session that was lost is opened again; where somebody has begun a load or a drop
    /// in the meantime, that is told.
    pub async fn keep(&mut self, tell: fn(&str)) -> Infallible {
        let mut told = false;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if !self.session.is_closed() {
                continue;
            }
            let Ok(session) = Session::open(&self.connector, |_| {}).await else {
                continue;
            };
            match hold(&session, self.schemas.iter().map(String::as_str)).await {
                Ok(()) => self.session = session,
                Err(error @ HoldError::InUse(_)) if !told => {
                    told = true;
                    tell(&format!(
                        "the session that kept loads and drops out was lost, and {error}"
                    ));
                }
                Err(_) => {}
            }
        }
    }

    /// The session, as it is by now.
    pub fn into_session(self) -> Session {
        self.session
    }
}
