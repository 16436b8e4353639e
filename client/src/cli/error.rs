//! Why a verb failed, and the exit status that says so.

use std::io;
use std::process::ExitCode;

use super::report::ReportError;
use crate::cluster::ClusterError;
use crate::connect::{ConnectError, server_message};
use crate::crew::{LoadError, TablesError};
use crate::driver::engine::RunError;
use crate::driver::hold::HoldError;
use crate::driver::server::ServerRunError;
use crate::driver::station::StationError;
use crate::flavour::FlavourError;
use crate::probe::ProbeError;
use crate::report::OutputError;
use crate::scan::ScanError;
use crate::schema::DataError;

/// The work failed, or a condition does not hold.
pub(super) const FAILED: u8 = 1;
/// The command line is wrong.
pub(super) const USAGE: u8 = 2;
/// There is no connection.
pub(super) const NO_CONNECTION: u8 = 3;

/// What can end a verb before its end.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Two flags do not go together, or a value is out of range.
    #[error("{0}")]
    Usage(String),
    /// The private cluster does not come up.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The server does not let us in.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server refused a statement.
    #[error("{}", server_message(.0))]
    Server(#[from] tokio_postgres::Error),
    /// The data is not there as a whole, or not ours.
    #[error("{0}")]
    Data(DataError),
    /// A load or a drop did not come to its end.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The functions of a flavour cannot be had.
    #[error(transparent)]
    Flavour(#[from] FlavourError),
    /// The extension is not in this database.
    #[error(
        "the database has no extension pg_tpcc: CREATE EXTENSION pg_tpcc (make install puts it on the server)"
    )]
    NoExtension,
    /// Consistency conditions do not hold.
    #[error("{0} of the consistency conditions do not hold")]
    Inconsistent(usize),
    /// The server answered something that this client does not understand.
    #[error("unexpected answer of {0}: is the extension of another version than the client?")]
    Answer(&'static str),
    /// The server takes no writes.
    #[error("{why}, and the server takes no writes: {mend}")]
    ReadOnly {
        /// What is to be written.
        why: &'static str,
        /// Why it takes none, and what would mend that.
        mend: String,
    },
    /// A result file cannot be shown.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A result file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Somebody is at work in the schema.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// A run of the client did not come to its end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A run in the server brought no result.
    #[error(transparent)]
    ServerRun(#[from] ServerRunError),
    /// A probe could not go on.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A scan could not go on.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// pgbench's or sysbench's tables cannot be used or made.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// The system takes no signal handler.
    #[error("cannot listen to signals: {0}")]
    Signals(io::Error),
    /// The user pressed Ctrl-C; the statement was cancelled.
    #[error("interrupted")]
    Interrupted,
}

/// A result file that cannot be written is wrong usage before the work, and a failure after it.
pub(super) fn unwritable(error: OutputError) -> CliError {
    CliError::Usage(error.to_string())
}

impl From<DataError> for CliError {
    fn from(error: DataError) -> CliError {
        match error {
            DataError::Server(error) => CliError::Server(error),
            other => CliError::Data(other),
        }
    }
}

impl CliError {
    /// The exit status for it.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            CliError::Usage(_) | CliError::Scan(ScanError::TooMany { .. }) => USAGE,
            CliError::Connect(ConnectError::Refused { .. })
            | CliError::Load(
                LoadError::Connect(ConnectError::Refused { .. }) | LoadError::GaveUp { .. },
            )
            | CliError::Probe(ProbeError::Connect(ConnectError::Refused { .. }))
            | CliError::Scan(
                ScanError::Connect(ConnectError::Refused { .. })
                | ScanError::Load(
                    LoadError::Connect(ConnectError::Refused { .. }) | LoadError::GaveUp { .. },
                ),
            )
            | CliError::Tables(TablesError::Load(
                LoadError::Connect(ConnectError::Refused { .. }) | LoadError::GaveUp { .. },
            ))
            | CliError::Run(RunError::Station(StationError::Connect(_)))
            | CliError::ServerRun(ServerRunError::Connect(_)) => NO_CONNECTION,
            CliError::Connect(_) => USAGE,
            _ => FAILED,
        }
        .into()
    }
}
