//! How the client finds and reaches a database: flags, a URI, the PG* variables and the defaults that
//! `psql` has too.

mod options;
mod password;
mod session;

pub use options::{ConnectArgs, ConnectError};
pub use session::{Notice, Session};
