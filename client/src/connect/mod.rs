//! How the client finds and reaches a database: flags, connection strings, service and password files,
//! the PG* variables and the defaults that `psql` has too.
//!
//! Parameters are collected ([`ConnectArgs`]), understood, and tried place by place ([`Connector`]).

mod certificate;
mod connector;
mod conninfo;
mod error;
mod keyword;
mod message;
mod options;
mod parameters;
mod password;
mod plain;
mod reason;
mod service;
mod session;
mod settings;
mod socket;
mod target;
mod tls;
mod trust;

pub use connector::{CancelToken, Connector};
pub use error::ConnectError;
pub use message::server_message;
pub use options::ConnectArgs;
pub use session::{BEGIN_SAFELY, BEGIN_SNAPSHOT, LIFT_TIMEOUTS, Notice, Session};
pub use tls::TlsStream;
