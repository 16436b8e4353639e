//! `tpcc drop`: the end of a schema.

use std::io::{IsTerminal, Write, stderr, stdin};

use clap::Args;

use super::CliError;
use super::query::{refuse_read_only, show};
use crate::connect::{ConnectArgs, Session};
use crate::crew::LoadError;
use crate::load::drop_all;
use crate::schema::SetArgs;

/// The flags of `tpcc drop`.
#[derive(Args)]
pub(super) struct DropArgs {
    /// Drop the results of runs too
    #[arg(long)]
    pub results: bool,
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
    #[command(flatten)]
    pub sets: SetArgs,
    #[command(flatten)]
    pub connection: ConnectArgs,
}

/// Asks, where there is somebody to ask, and drops.
pub(super) async fn run(args: DropArgs) -> Result<(), CliError> {
    let connector = args.connection.connector()?;
    let session = Session::open(&connector, show).await?;
    refuse_read_only(&session, "a drop writes").await?;
    let schemas = args.sets.schemas();
    if !args.yes && !confirmed(&connector.target(), &schemas.join(", "))? {
        return Err(CliError::Interrupted);
    }
    let dropped = drop_all(&session, &schemas, args.results).await;
    // What else ends a load has words about going on with it.
    for line in dropped.map_err(|error| match error {
        LoadError::Server(error) => CliError::Server(error),
        other => other.into(),
    })? {
        say!("{line}");
    }
    Ok(())
}

/// Whether the user says yes on the terminal.
pub(super) fn confirmed(target: &str, what: &str) -> Result<bool, CliError> {
    if !stdin().is_terminal() {
        return Err(CliError::Usage(
            "tpcc drop asks before it drops, and there is no terminal to ask on: add --yes".into(),
        ));
    }
    eprint!("Drop {what} of {target}? (y/n) ");
    let mut answer = String::new();
    let asked = stderr()
        .flush()
        .and_then(|()| stdin().read_line(&mut answer));
    asked.map_err(|error| CliError::Usage(format!("no answer: {error}")))?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}
