//! `tpcc report`: what result files hold, as the run printed it.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use workload::result::{FormatError, ResultSet};
use workload::scan::ScanDocument;

use super::CliError;
use super::run::results;
use super::scan;

/// The flags of `tpcc report`.
#[derive(Args)]
pub(super) struct ReportArgs {
    /// Result files that tpcc run --json or tpcc scan run --json has written
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

/// What a file holds.
enum Shown {
    Runs(ResultSet),
    Scan(Box<ScanDocument>),
}

impl Shown {
    fn parse(text: &str) -> Result<Shown, FormatError> {
        if ScanDocument::is_one(text) {
            return Ok(Shown::Scan(Box::new(ScanDocument::parse(text)?)));
        }
        Ok(Shown::Runs(ResultSet::parse(text)?))
    }
}

/// More than any result file has.
const LARGEST: u64 = 1 << 30;

fn read(path: &std::path::Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?
        .take(LARGEST + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(std::io::Error::other(
            "it has more than 1 GiB: no result file does",
        ));
    }
    Ok(text)
}

/// Reads all files, then prints them.
pub(super) fn run(args: &ReportArgs) -> Result<(), CliError> {
    let mut all = Vec::new();
    for path in &args.files {
        let path = path.clone();
        let text = match read(&path) {
            Ok(text) => text,
            Err(source) => return Err(ReportError::File { path, source }.into()),
        };
        match Shown::parse(&text) {
            Ok(shown) => all.push(shown),
            Err(source) => return Err(ReportError::Format { path, source }.into()),
        }
    }
    for shown in &all {
        match shown {
            Shown::Runs(set) => results(&set.results),
            Shown::Scan(document) => scan::show(document),
        }
    }
    Ok(())
}
