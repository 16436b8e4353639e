//! `tpcc scan load`.

use std::time::Duration;

use clap::Args;

use super::super::query::{refuse_read_only, show};
use super::super::{CliError, duration, loading};
use super::Place;
use crate::connect::{ConnectArgs, Session};
use crate::report::{Table, grouped};
use crate::scan::{self, LoadOptions};
use crate::schema::quote_identifier;

/// More rows than the largest table of PostgreSQL can hold, 32 TB.
const MOST_ROWS: i64 = 1_000_000_000_000;

/// The flags of `tpcc scan load`.
#[derive(Args)]
pub(super) struct LoadArgs {
    /// Rows that are to be there, about 60 bytes each
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
        value_parser = clap::value_parser!(i64).range(1..=MOST_ROWS))]
    rows: i64,
    /// Connections that write; by default one a processor of this machine
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    connections: Option<u32>,
    /// Seed of the rows; by default that of the table, and 1 for a new one
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Create the table unlogged: faster, and empty after a crash
    #[arg(long)]
    unlogged: bool,
    /// How long a lost connection is tried again
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    reconnect_timeout: Duration,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    connection: ConnectArgs,
}

/// Makes what is missing, and prints what is there.
pub(super) async fn run(args: LoadArgs) -> Result<(), CliError> {
    let connector = args.connection.connector()?;
    let session = Session::open(&connector, show).await?;
    refuse_read_only(&session, "a load writes").await?;
    drop(session);
    let options = LoadOptions {
        rows: args.rows,
        connections: loading::connections(args.connections),
        quoted: quote_identifier(&args.place.schema),
        schema: args.place.schema,
        seed: args.seed,
        unlogged: args.unlogged,
        reconnect_timeout: args.reconnect_timeout,
        report_every: loading::report_every(),
    };
    let interrupt = loading::interrupted()?;
    let report = scan::load(&connector, &options, interrupt, |line| tell!("  {line}")).await?;
    let mut table = Table::new(["table", "rows", "matching", "bytes", "written", "seconds"]);
    table.row([
        format!("{}.scan_bits", options.schema),
        grouped(&report.rows.to_string()),
        grouped(&report.matching.to_string()),
        grouped(&report.bytes.to_string()),
        grouped(&report.written.to_string()),
        format!("{:.3}", report.seconds),
    ]);
    say!("{table}");
    Ok(())
}
