//! An open connection whose notices can be listened to.

use std::future::poll_fn;
use std::ops::Deref;

use tokio::task::JoinHandle;
use tokio_postgres::config::Host;
use tokio_postgres::{AsyncMessage, Client, Config, NoTls};

use super::options::{ConnectError, reason};

/// What the server says on the side: a NOTICE, a WARNING.
pub type Notice = tokio_postgres::error::DbError;

/// A connection to the database; it is closed when this is dropped.
pub struct Session {
    client: Client,
    driver: JoinHandle<()>,
}

impl Session {
    /// Connects; `on_notice` gets each notice as it comes.
    pub async fn open(
        config: &Config,
        mut on_notice: impl FnMut(Notice) + Send + 'static,
    ) -> Result<Session, ConnectError> {
        let (client, mut connection) =
            config
                .connect(NoTls)
                .await
                .map_err(|error| ConnectError::Refused {
                    target: target(config),
                    reason: reason(&error),
                })?;
        let driver = tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await
            {
                if let AsyncMessage::Notice(notice) = message {
                    on_notice(notice);
                }
            }
        });
        Ok(Session { client, driver })
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

/// Where a connection goes, for people.
fn target(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "the server".to_owned(),
    };
    let port = config
        .get_ports()
        .first()
        .map_or_else(String::new, |port| format!(" port {port}"));
    let database = config.get_dbname().unwrap_or_default();
    let user = config.get_user().unwrap_or_default();
    format!("database \"{database}\" at {host}{port} as \"{user}\"")
}
