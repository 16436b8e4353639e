//! `tpcc report`: what result files hold, as the run printed it.

use std::path::PathBuf;

use clap::Args;
use workload::result::{FormatError, ResultSet};

use super::CliError;
use super::run::results;

/// The flags of `tpcc report`.
#[derive(Args)]
pub(super) struct ReportArgs {
    /// Result files that tpcc run --json has written
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Why a result file cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It holds something else, or only a part.
    #[error("{}: {source}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: FormatError,
    },
}

/// Reads all files, then prints them.
pub(super) fn run(args: &ReportArgs) -> Result<(), CliError> {
    let mut sets = Vec::new();
    for path in &args.files {
        let path = path.clone();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(source) => return Err(ReportError::File { path, source }.into()),
        };
        match ResultSet::parse(&text) {
            Ok(set) => sets.push(set),
            Err(source) => return Err(ReportError::Format { path, source }.into()),
        }
    }
    for set in &sets {
        results(&set.results);
    }
    Ok(())
}
