//! `tpcc oltp`: sysbench's OLTP scripts, in the four modes.

mod knobs;
mod load;
mod run;

use clap::{Args, Subcommand};
use tokio_postgres::SimpleQueryMessage;
use workload::oltp::table;

use super::CliError;
use super::query::{refuse_read_only, run as run_query, show};
use crate::connect::{BEGIN_SNAPSHOT, ConnectArgs, Session};
use crate::load::query::text;
use crate::oltp;
use crate::report::Table;
use crate::schema::{quote_identifier, valid_name};

/// What to do with sysbench's tables.
#[derive(Args)]
pub(super) struct OltpArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Load sysbench's tables: over several connections, resumable, within a budget
    Load(load::LoadArgs),
    /// Run one of sysbench's OLTP scripts for a time, in one of four modes or in all of them
    Run(Box<run::RunArgs>),
    /// Check what holds of the tables after any number of transactions
    Check(SchemaArgs),
    /// Drop sysbench's tables, whoever made them, and our function for them
    Drop(DropArgs),
}

/// Where the tables are.
#[derive(Args)]
pub(super) struct SchemaArgs {
    /// Schema of sysbench's tables
    #[arg(long, value_name = "NAME", default_value = oltp::DEFAULT_SCHEMA, value_parser = valid_name)]
    schema: String,
    #[command(flatten)]
    connection: ConnectArgs,
}

/// The flags of `tpcc oltp drop`.
#[derive(Args)]
pub(super) struct DropArgs {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    at: SchemaArgs,
}

/// Does it.
pub(super) async fn run(args: OltpArgs) -> Result<(), CliError> {
    match args.verb {
        Verb::Load(args) => load::run(args).await,
        Verb::Run(args) => run::run(*args).await,
        Verb::Check(args) => check(args).await,
        Verb::Drop(args) => drop(args).await,
    }
}

async fn check(args: SchemaArgs) -> Result<(), CliError> {
    let session = Session::open(&args.connection.connector()?, show).await?;
    session.batch_execute(BEGIN_SNAPSHOT).await?;
    let (tables, _) = oltp::size(&session, &args.schema, None).await?;
    let mut shown = Table::new(["", "table", "condition", "found"]);
    let mut broken = 0;
    for name in (1..=tables).map(table) {
        let sql = include_str!("../../../../sql/oltp/checks.sql")
            .replace("{table}", &name)
            .replace("{schema}", &quote_identifier(&args.schema));
        for message in run_query(&session, &sql).await? {
            let SimpleQueryMessage::Row(row) = message else {
                continue;
            };
            let holds = text(&row, 1) == "t";
            broken += usize::from(!holds);
            let verdict = if holds { "ok" } else { "BROKEN" };
            shown.row([verdict, &name, text(&row, 0), text(&row, 2)]);
        }
    }
    say!("{shown}");
    match broken {
        0 => Ok(()),
        broken => Err(CliError::Inconsistent(broken)),
    }
}

async fn drop(args: DropArgs) -> Result<(), CliError> {
    let connector = args.at.connection.connector()?;
    let session = Session::open(&connector, show).await?;
    refuse_read_only(&session, "a drop writes").await?;
    let schema = &args.at.schema;
    let what = format!("sysbench's tables in schema \"{schema}\"");
    if !args.yes && !super::drop::confirmed(&connector.target(), &what)? {
        return Err(CliError::Interrupted);
    }
    match oltp::drop_tables(&session, schema).await? {
        0 => say!("schema \"{schema}\" has none of sysbench's tables"),
        tables => say!(
            "dropped from schema \"{schema}\": {}",
            workload::counted(tables, "table")
        ),
    }
    Ok(())
}
