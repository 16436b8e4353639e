//! From parameters to an open connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::config::Host;
use tokio_postgres::{CancelToken, Config};

use super::options::{ConnectError, reason};
use super::tls::Tls;
use crate::wire::{Link, Meter, Socket, Transport, Wire};

/// Where to connect and how: everything that is known before the first byte.
#[derive(Debug, Clone)]
pub struct Connector {
    config: Config,
    tls: Tls,
}

impl From<Config> for Connector {
    fn from(config: Config) -> Connector {
        Connector {
            config,
            tls: tokio_postgres::NoTls,
        }
    }
}

impl Connector {
    /// Opens a connection.
    ///
    /// # Errors
    /// [`ConnectError::Refused`] with what the server or the system said.
    pub async fn open(&self, wire: Wire) -> Result<Link, ConnectError> {
        let refused = |reason: String| ConnectError::Refused {
            target: self.target(),
            reason,
        };
        let socket = self
            .socket()
            .await
            .map_err(|error| refused(error.to_string()))?;
        let meter = Meter::new();
        let transport = Transport::new(socket, wire, Arc::clone(&meter));
        let (client, connection) = self
            .config
            .connect_raw(transport, self.tls)
            .await
            .map_err(|error| refused(reason(&error)))?;
        Ok(Link::new(client, connection, meter))
    }

    /// Asks the server to cancel what the token's connection is doing.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn cancel(&self, token: &CancelToken) -> Result<(), ConnectError> {
        let refused = |reason: String| ConnectError::Refused {
            target: self.target(),
            reason,
        };
        let socket = self
            .socket()
            .await
            .map_err(|error| refused(error.to_string()))?;
        let transport = Transport::new(socket, Wire::default(), Meter::new());
        token
            .cancel_query_raw(transport, self.tls)
            .await
            .map_err(|error| refused(reason(&error)))
    }

    /// The database's name.
    pub fn dbname(&self) -> &str {
        self.config.get_dbname().unwrap_or_default()
    }

    /// The role that logs in.
    pub fn user(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    /// Where a connection goes, for people, without a password.
    pub fn target(&self) -> String {
        let config = &self.config;
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            Some(Host::Unix(path)) => path.display().to_string(),
            None => "the server".to_owned(),
        };
        let port = config
            .get_ports()
            .first()
            .map_or_else(String::new, |port| format!(" port {port}"));
        format!(
            "database \"{}\" at {host}{port} as \"{}\"",
            self.dbname(),
            self.user()
        )
    }

    async fn socket(&self) -> io::Result<Socket> {
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        let connecting = async {
            match self.config.get_hosts().first() {
                Some(Host::Unix(folder)) => {
                    let path = folder.join(format!(".s.PGSQL.{port}"));
                    UnixStream::connect(path).await.map(Socket::Unix)
                }
                Some(Host::Tcp(name)) => {
                    let stream = TcpStream::connect((name.as_str(), port)).await?;
                    stream.set_nodelay(true)?;
                    Ok(Socket::Tcp(stream))
                }
                None => Err(io::Error::other("no host")),
            }
        };
        match self.config.get_connect_timeout() {
            Some(limit) if *limit > Duration::ZERO => tokio::time::timeout(*limit, connecting)
                .await
                .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?,
            _ => connecting.await,
        }
    }
}
