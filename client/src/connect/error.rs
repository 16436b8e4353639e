//! Why no connection came about.

/// Why no connection came about.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// What says where and how to connect is wrong, or a file that it names is: nothing was tried.
    #[error("{0}")]
    Parameter(String),
    /// The server did not let us in.
    #[error("cannot connect to {target}: {reason}")]
    Refused {
        /// Where to, in words.
        target: String,
        /// What the server or the system said.
        reason: String,
    },
}

impl ConnectError {
    pub(super) fn parameter(message: impl Into<String>) -> ConnectError {
        ConnectError::Parameter(message.into())
    }
}
