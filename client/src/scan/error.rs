//! Why a load, a run or a drop of the scan ended before its end.

use workload::scan::PlanError;

use crate::connect::{ConnectError, server_message};
use crate::crew::LoadError;

/// What can go wrong with a scan.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The server does not let us in.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server refused a statement, or went away.
    #[error("{}", server_message(.0))]
    Server(#[from] tokio_postgres::Error),
    /// The load ended before its end.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// What is in the schema does not fit.
    #[error("{found}\nHINT:  {hint}")]
    Refused {
        /// What was found.
        found: String,
        /// What to do.
        hint: String,
    },
    /// More workers were asked for than the server can have.
    #[error(
        "degree {asked} was asked for, and the server can have {most}{}\n\
         HINT:  --max-degree {most} measures up to that; ALTER SYSTEM SET max_worker_processes = {}, and a restart, \
         gives more.",
        why(*.most, *.taken),
        .asked + .taken
    )]
    TooMany {
        /// The highest degree.
        asked: u32,
        /// What the server can have.
        most: u32,
        /// Workers that are always taken.
        taken: u32,
    },
    /// The server's plan is not understood.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A count found other rows than the load made.
    #[error(
        "the count at degree {degree} found {found} rows, and {expected} rows that match were loaded\n\
         HINT:  Somebody changed the table. Begin anew: {hint}"
    )]
    Count {
        /// The degree.
        degree: u32,
        /// What was counted.
        found: u64,
        /// What the seed says.
        expected: u64,
        /// The command that drops it.
        hint: String,
    },
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

fn why(most: u32, taken: u32) -> String {
    let all = most + taken;
    match taken {
        0 => format!(": max_worker_processes is {all}"),
        _ => format!(
            ": max_worker_processes is {all}, and the launcher of logical replication is one"
        ),
    }
}
