//! How the client finds and reaches a database: flags, a URI, the PG* variables and the defaults that
//! `psql` has too.

mod connector;
mod options;
mod password;
mod session;
mod tls;

pub use connector::Connector;
pub use options::{ConnectArgs, ConnectError};
pub use session::{Notice, Session};
pub use tls::TlsStream;
