//! `tpcc scan run`.

use std::path::PathBuf;

use clap::Args;
use workload::scan::MOST_WORKERS;

use super::super::error::unwritable;
use super::super::{CliError, interrupt};
use super::{Place, show};
use crate::connect::ConnectArgs;
use crate::report::OutputFile;
use crate::scan::{self, Degrees, MeasureOptions};

/// The flags of `tpcc scan run`.
#[derive(Args)]
pub(super) struct RunArgs {
    /// Numbers of parallel workers to measure; 0 always is, and first
    #[arg(long, value_name = "N,N...", value_delimiter = ',', conflicts_with = "max_degree",
        value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_WORKERS)))]
    degrees: Option<Vec<u32>>,
    /// Measure 0, 1, 2, 4 ... up to this [default: the server's max_parallel_workers]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_WORKERS)))]
    max_degree: Option<u32>,
    /// Executions a degree; their median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Write the result as JSON to this file too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    connection: ConnectArgs,
}

/// Measures, prints and writes.
pub(super) async fn run(args: RunArgs) -> Result<(), CliError> {
    let connector = args.connection.connector()?;
    let json = args
        .json
        .as_deref()
        .map(OutputFile::open)
        .transpose()
        .map_err(unwritable)?;
    let options = MeasureOptions {
        schema: args.place.schema,
        degrees: match (args.degrees, args.max_degree) {
            (Some(degrees), _) => Degrees::List(degrees),
            (None, Some(most)) => Degrees::UpTo(most),
            (None, None) => Degrees::Server,
        },
        runs: args.runs,
    };
    let interrupt = interrupt::listen("cancelling the count (Ctrl-C again leaves at once) ...")
        .map_err(CliError::Signals)?;
    let measured = scan::measure(&connector, &options, interrupt, |line| tell!("  {line}")).await?;
    if let Some(file) = json {
        file.write(format!("{}\n", measured.document.to_json_pretty()).as_bytes())?;
    }
    show::show(&measured.document);
    match measured.failure {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}
