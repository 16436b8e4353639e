//! `tpcc oltp load`.

use std::time::Duration;

use clap::Args;
use workload::counted;
use workload::oltp::MOST_TABLES;

use super::super::query::{refuse_read_only, show};
use super::super::{CliError, duration, loading};
use super::SchemaArgs;
use super::knobs::RandFlags;
use crate::connect::Session;
use crate::crew::Terms;
use crate::flavour::FlavourArg;
use crate::oltp::{self, Options};
use crate::report::grouped;
use crate::schema::quote_identifier;

/// The flags of `tpcc oltp load`.
#[derive(Args)]
pub(in crate::cli) struct LoadArgs {
    /// Tables, from sbtest1 on
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_TABLES)))]
    tables: u32,
    /// Rows of each table, about 230 bytes each with their index entries
    #[arg(long, value_name = "ROWS", default_value_t = 10_000,
        value_parser = clap::value_parser!(i32).range(1..=2_000_000_000))]
    table_size: i32,
    /// Connections that write [default: one a processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    connections: Option<u32>,
    /// Seed of the rows
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true
    )]
    seed: i64,
    /// Create the tables unlogged: faster, and empty after a crash
    #[arg(long)]
    unlogged: bool,
    /// Who makes the rows: the server, or the client, which sends them through COPY
    ///
    /// [default: native; without the extension and with --max-write plpgsql]
    #[arg(long, value_name = "FLAVOUR")]
    flavour: Option<FlavourArg>,
    /// Most bytes a second that the rows may write, log included: 20MB/s
    #[arg(long, value_name = "RATE", value_parser = loading::rate)]
    max_write: Option<f64>,
    /// How long a lost connection is tried again, in seconds or with a unit
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    reconnect_timeout: Duration,
    #[command(flatten)]
    rand: RandFlags,
    #[command(flatten)]
    at: SchemaArgs,
}

/// Loads, and tells what came of it.
pub(super) async fn run(args: LoadArgs) -> Result<(), CliError> {
    let knobs = args.rand.knobs()?;
    let connector = args.at.connection.connector()?;
    let session = Session::open(&connector, show).await?;
    refuse_read_only(&session, "a load writes").await?;
    let extension = loading::maker(
        &session,
        args.flavour,
        args.max_write.is_some(),
        "oltp_write_rows",
    )
    .await?;
    std::mem::drop(session);
    let options = Options {
        tables: args.tables,
        table_size: args.table_size,
        seed: args.seed,
        knobs,
        quoted: quote_identifier(&args.at.schema),
        unlogged: args.unlogged,
        extension,
        max_write: args.max_write,
        terms: Terms {
            schema: args.at.schema,
            connections: loading::connections(args.connections),
            reconnect_timeout: args.reconnect_timeout,
            report_every: loading::report_every(),
        },
    };
    let interrupt = loading::interrupted()?;
    let loaded = oltp::load(&connector, &options, interrupt, |line| tell!("  {line}")).await?;
    say!(
        "{} of {} rows in schema \"{}\", {} rows written in {:.1} s",
        counted(options.tables, "table"),
        grouped(&options.table_size.to_string()),
        options.terms.schema,
        grouped(&loaded.rows.to_string()),
        loaded.time.as_secs_f64()
    );
    Ok(())
}
