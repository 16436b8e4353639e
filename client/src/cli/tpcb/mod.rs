//! `tpcc tpcb`: pgbench's TPC-B, its simple update and its select, in the four modes.

mod load;
mod run;

use clap::{Args, Subcommand};
use tokio_postgres::SimpleQueryMessage;

use super::CliError;
use super::query::{refuse_read_only, run as run_query, show};
use crate::connect::{BEGIN_SAFELY, ConnectArgs, Session};
use crate::load::query::text;
use crate::report::Table;
use crate::schema::{quote_identifier, valid_name};
use crate::tpcb;

/// What to do with pgbench's tables.
#[derive(Args)]
pub(super) struct TpcbArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Load pgbench's tables: over several connections, resumable, within a budget
    Load(load::LoadArgs),
    /// Run pgbench's builtin scripts for a time, in one of four modes or in all of them
    Run(Box<run::RunArgs>),
    /// Check what holds of the tables after any number of transactions
    Check(SchemaArgs),
    /// Drop pgbench's tables, whoever made them, and our functions for them
    Drop(DropArgs),
}

/// Where the tables are.
#[derive(Args)]
pub(super) struct SchemaArgs {
    /// Schema of pgbench's tables
    #[arg(long, value_name = "NAME", default_value = tpcb::DEFAULT_SCHEMA, value_parser = valid_name)]
    schema: String,
    #[command(flatten)]
    connection: ConnectArgs,
}

/// The flags of `tpcc tpcb drop`.
#[derive(Args)]
pub(super) struct DropArgs {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    at: SchemaArgs,
}

/// Does it.
pub(super) async fn run(args: TpcbArgs) -> Result<(), CliError> {
    match args.verb {
        Verb::Load(args) => load::run(args).await,
        Verb::Run(args) => run::run(*args).await,
        Verb::Check(args) => check(args).await,
        Verb::Drop(args) => drop(args).await,
    }
}

async fn check(args: SchemaArgs) -> Result<(), CliError> {
    let session = Session::open(&args.connection.connector()?, show).await?;
    session.batch_execute(BEGIN_SAFELY).await?;
    tpcb::scale(&session, &args.schema).await?;
    let sql = include_str!("../../../../sql/tpcb/checks.sql")
        .replace("{schema}", &quote_identifier(&args.schema));
    let mut table = Table::new(["", "no.", "condition", "found"]);
    let mut broken = 0;
    for message in run_query(&session, &sql).await? {
        let SimpleQueryMessage::Row(row) = message else {
            continue;
        };
        let holds = text(&row, 2) == "t";
        broken += usize::from(!holds);
        let verdict = if holds { "ok" } else { "BROKEN" };
        table.row([verdict, text(&row, 0), text(&row, 1), text(&row, 3)]);
    }
    say!("{table}");
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
    let what = format!("pgbench's tables in schema \"{schema}\"");
    if !args.yes && !super::drop::confirmed(&connector.target(), &what)? {
        return Err(CliError::Interrupted);
    }
    let dropped = tpcb::drop_tables(&session, schema).await?;
    if dropped.is_empty() {
        say!("schema \"{schema}\" has none of pgbench's tables");
    } else {
        say!("dropped from schema \"{schema}\": {}", dropped.join(", "));
    }
    Ok(())
}
