//! An open connection whose notices can be listened to.

use std::future::poll_fn;
use std::ops::Deref;

use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client};

use super::{CancelToken, ConnectError, Connector};
use crate::wire::Wire;

/// What the server says on the side: a NOTICE, a WARNING.
pub type Notice = tokio_postgres::error::DbError;

macro_rules! begin {
    ($level:literal) => {
        concat!(
            "BEGIN ISOLATION LEVEL ",
            $level,
            "; SET LOCAL search_path = pg_catalog, pg_temp; \
             SELECT pg_catalog.set_config(name, '0', true) FROM pg_catalog.pg_settings \
             WHERE name IN ('statement_timeout', 'transaction_timeout', 'lock_timeout', \
                            'idle_in_transaction_session_timeout') AND setting <> '0'"
        )
    };
}

/// Begins a transaction in which names mean what they mean in pg_catalog, whatever stands in the session's
/// search_path: others may have put operators and functions there; and in which the limits of the role end no
/// statement. Both end with the transaction, since a pooled connection is somebody else's afterwards.
///
/// Read committed whatever the role's default is: while the transaction waits it holds no snapshot.
pub const BEGIN_SAFELY: &str = begin!("READ COMMITTED");

/// The same, in which all statements see one snapshot and none writes.
pub const BEGIN_SNAPSHOT: &str = begin!("REPEATABLE READ, READ ONLY");

/// The limits that end a statement, a transaction or a session that takes its time, where there are such
/// (transaction_timeout came with PostgreSQL 17): lifted for this session.
pub const LIFT_TIMEOUTS: &str = "SELECT pg_catalog.set_config(name, '0', false) FROM pg_catalog.pg_settings \
     WHERE name IN ('statement_timeout', 'transaction_timeout', 'lock_timeout', \
                    'idle_in_transaction_session_timeout', 'idle_session_timeout') AND setting <> '0'";

/// A connection to the database, driven by a task of its own; it is closed when this is dropped.
pub struct Session {
    client: Client,
    connector: Connector,
    token: CancelToken,
    driver: JoinHandle<()>,
}

impl Session {
    /// Connects; `on_notice` gets each notice as it comes.
    pub async fn open(
        connector: &Connector,
        mut on_notice: impl FnMut(Notice) + Send + 'static,
    ) -> Result<Session, ConnectError> {
        let link = connector.open(Wire::default()).await?;
        let token = link.cancel_token();
        let (client, connection) = link.into_parts();
        let driver = tokio::spawn(async move {
            let Some(mut connection) = connection else {
                return;
            };
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await
            {
                if let AsyncMessage::Notice(notice) = message {
                    on_notice(notice);
                }
            }
        });
        Ok(Session {
            client,
            connector: connector.clone(),
            token,
            driver,
        })
    }

    /// Asks the server to cancel what this session is doing.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn cancel(&self) -> Result<(), ConnectError> {
        self.connector.cancel(&self.token).await
    }
}

impl Deref for Session {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.driver.abort();
    }
}
