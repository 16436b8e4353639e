//! `tpcc probe`: where the time of a round trip goes.

mod print;

pub(super) use print::print_decomposition;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::error::unwritable;
use super::{CliError, duration, interrupt};
use crate::connect::ConnectArgs;
use crate::probe::{self, Options, TableKind};
use crate::report::OutputFile;

/// The flags of `tpcc probe`.
#[derive(Args)]
pub(super) struct ProbeArgs {
    /// Connections, at the end of the sweep; fewer where the server allows no more
    #[arg(short, long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    connections: u32,
    /// Threads that share the connections [default: one for two processors]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    threads: Option<u32>,
    /// Calls of each part over one connection, at most
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    samples: u32,
    /// Longest time of each part over one connection, in seconds or with a unit
    #[arg(short = 'T', long, value_name = "TIME", default_value = "10s", value_parser = duration::parse)]
    time: Duration,
    /// Time of each step of the sweep, in seconds or with a unit
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration::parse)]
    step_time: Duration,
    /// Kind of table for the inserts [default: ordinary; temp where the role may make no schema]
    #[arg(long, value_enum, value_name = "KIND")]
    table: Option<TableKind>,
    /// Hold each answer back by this: a longer round trip, simulated; in seconds or with a unit: 5ms
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration::parse_or_none)]
    simulate_rtt: Duration,
    /// Write the result as JSON to this file too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    connection: ConnectArgs,
}

impl ProbeArgs {
    fn options(&self) -> Options {
        let processors = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        Options {
            samples: self.samples,
            time: self.time,
            connections: self.connections,
            threads: self.threads.unwrap_or((processors / 2).max(1)),
            step_time: self.step_time,
            table: self.table,
            simulated_rtt: self.simulate_rtt,
        }
    }
}

/// Connects, measures and prints.
pub(super) async fn run(args: ProbeArgs) -> Result<(), CliError> {
    let connector = args.connection.connector()?;
    let json = args
        .json
        .as_deref()
        .map(OutputFile::open)
        .transpose()
        .map_err(unwritable)?;
    let options = args.options();
    let interrupted = interrupt::listen("ending, and removing the probe's table ...")
        .map_err(CliError::Signals)?;
    let simulated = if options.simulated_rtt.is_zero() {
        ""
    } else {
        " (simulated)"
    };
    let progress = |what: &str| tell!("probing{simulated}: {what}");
    let document = probe::run(&connector, &options, &progress, interrupted).await?;
    if let Some(file) = json {
        file.write(document.to_json().as_bytes())?;
    }
    print::print(&document);
    Ok(())
}
