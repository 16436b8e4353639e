//! `tpcc scan`: a table, counted with more and more parallel workers.

mod load;
mod run;
mod show;

pub(super) use show::show;

use clap::{Args, Subcommand};

use super::CliError;
use super::drop::confirmed;
use super::query::{refuse_read_only, show as show_notice};
use crate::connect::{ConnectArgs, Session};
use crate::scan::{DEFAULT_SCHEMA, drop_table};
use crate::schema::valid_name;

/// The verbs of `tpcc scan`.
#[derive(Args)]
pub(super) struct ScanArgs {
    #[command(subcommand)]
    verb: ScanVerb,
}

#[derive(Subcommand)]
enum ScanVerb {
    /// Make the table in the server, over several connections; goes on where another load stopped
    Load(load::LoadArgs),
    /// Count its rows with 0, 1, 2, 4 ... parallel workers, and print the speed-up
    Run(run::RunArgs),
    /// Drop the table and what is remembered of it
    Drop(DropArgs),
}

#[derive(Args)]
#[command(next_help_heading = "Data")]
struct Place {
    /// Schema of the table
    #[arg(long, value_name = "NAME", default_value = DEFAULT_SCHEMA, value_parser = valid_name)]
    schema: String,
}

#[derive(Args)]
struct DropArgs {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    connection: ConnectArgs,
}

pub(super) async fn run(args: ScanArgs) -> Result<(), CliError> {
    match args.verb {
        ScanVerb::Load(args) => load::run(args).await,
        ScanVerb::Run(args) => run::run(args).await,
        ScanVerb::Drop(args) => drop(args).await,
    }
}

async fn drop(args: DropArgs) -> Result<(), CliError> {
    let connector = args.connection.connector()?;
    let session = Session::open(&connector, show_notice).await?;
    refuse_read_only(&session, "a drop writes").await?;
    let schema = args.place.schema;
    if !args.yes && !confirmed(&connector.target(), &schema)? {
        return Err(CliError::Interrupted);
    }
    say!("{}", drop_table(&session, &schema).await?);
    Ok(())
}
