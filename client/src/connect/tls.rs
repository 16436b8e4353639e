//! TLS: none yet.

use tokio_postgres::tls::{NoTls, NoTlsStream};

/// The stream of a connection under TLS.
pub type TlsStream = NoTlsStream;
/// How connections are secured.
pub(super) type Tls = NoTls;
