//! What the loads of all workloads have in common on the command line.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use super::{CliError, interrupt};

/// Connections that write: as many as were asked for, or one a processor of this machine.
pub(super) fn connections(asked: Option<u32>) -> usize {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or(cpus, |asked| asked as usize)
}

/// Time between two lines of progress: longer where they are kept in a file.
pub(super) fn report_every() -> Duration {
    Duration::from_secs(if stderr().is_terminal() { 2 } else { 10 })
}

/// Ready when the user wants the load to stop.
///
/// # Errors
/// [`CliError::Signals`].
pub(super) fn interrupted() -> Result<impl Future<Output = ()>, CliError> {
    interrupt::listen("stopping the load (Ctrl-C again leaves at once) ...")
        .map_err(CliError::Signals)
}
