//! `tpcc tpcb load`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use workload::tpcb::{ACCOUNTS_PER_BRANCH, MOST_BRANCHES};

use super::super::query::{refuse_read_only, show};
use super::super::{CliError, duration, loading};
use super::SchemaArgs;
use crate::connect::Session;
use crate::crew::Terms;
use crate::flavour::FlavourArg;
use crate::report::grouped;
use crate::schema::quote_identifier;
use crate::tpcb::{self, Options, Partitions};

/// The flags of `tpcc tpcb load`.
#[derive(Args)]
pub(in crate::cli) struct LoadArgs {
    /// Scale: branches, with 100000 accounts each, about 15 MB
    #[arg(short, long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(i32).range(1..=i64::from(MOST_BRANCHES)))]
    scale: i32,
    /// Connections that write [default: one a processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    connections: Option<u32>,
    /// How full the pages are made, in percent
    #[arg(short = 'F', long, value_name = "PERCENT", default_value_t = 100,
        value_parser = clap::value_parser!(u8).range(10..=100))]
    fillfactor: u8,
    /// Create the tables unlogged: faster, and empty after a crash
    #[arg(long)]
    unlogged: bool,
    /// Add foreign keys between the tables
    #[arg(long)]
    foreign_keys: bool,
    /// Cut pgbench_accounts into so many partitions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    partitions: Option<u32>,
    /// How it is cut
    #[arg(
        long,
        value_name = "HOW",
        default_value = "range",
        requires = "partitions"
    )]
    partition_method: Method,
    /// Who makes the accounts: the server, or the client, which sends them through COPY
    ///
    /// [default: native; without the extension, with --partitions and with --max-write plpgsql]
    #[arg(long, value_name = "FLAVOUR")]
    flavour: Option<FlavourArg>,
    /// Most bytes a second that the rows may write, log included: 20MB/s
    #[arg(long, value_name = "RATE", value_parser = loading::rate)]
    max_write: Option<f64>,
    /// How long a lost connection is tried again, in seconds or with a unit
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    reconnect_timeout: Duration,
    #[command(flatten)]
    at: SchemaArgs,
}

/// How pgbench_accounts is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// By ranges of aid
    Range,
    /// By a hash of aid
    Hash,
}

/// Loads, and tells what came of it.
pub(super) async fn run(args: LoadArgs) -> Result<(), CliError> {
    let connector = args.at.connection.connector()?;
    let session = Session::open(&connector, show).await?;
    refuse_read_only(&session, "a load writes").await?;
    let extension = match (args.partitions, args.flavour) {
        (Some(_), Some(FlavourArg::Native)) => {
            return Err(CliError::Usage(
                "the extension does not write into partitions: leave --flavour out".into(),
            ));
        }
        (Some(_), _) => None,
        (None, flavour) => {
            let has_budget = args.max_write.is_some();
            loading::maker(&session, flavour, has_budget, "tpcb_write_accounts").await?
        }
    };
    std::mem::drop(session);
    let options = Options {
        scale: args.scale,
        quoted: quote_identifier(&args.at.schema),
        fillfactor: args.fillfactor,
        unlogged: args.unlogged,
        foreign_keys: args.foreign_keys,
        partitions: args.partitions.map(|count| match args.partition_method {
            Method::Range => Partitions::Range(count),
            Method::Hash => Partitions::Hash(count),
        }),
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
    let loaded = tpcb::load(&connector, &options, interrupt, |line| tell!("  {line}")).await?;
    say!(
        "scale {}: {} accounts in schema \"{}\", {} of them written in {:.1} s",
        options.scale,
        grouped(&(i64::from(options.scale) * ACCOUNTS_PER_BRANCH).to_string()),
        options.terms.schema,
        grouped(&loaded.accounts.to_string()),
        loaded.time.as_secs_f64()
    );
    Ok(())
}
