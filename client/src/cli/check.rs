//! `tpcc check`: the twelve consistency conditions (clause 3.3.2).

use clap::Args;
use tokio_postgres::SimpleQueryMessage;

use super::CliError;
use super::query::{literal, run as run_query, show};
use crate::connect::{ConnectArgs, Session};
use crate::report::Table;

/// The flags of `tpcc check`.
#[derive(Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub connection: ConnectArgs,
    /// Schema of the nine tables
    #[arg(long, default_value = "tpcc")]
    pub schema: String,
}

/// Connects, checks and prints.
pub(super) async fn run(args: CheckArgs) -> Result<(), CliError> {
    let session = Session::open(&args.connection.config()?, show).await?;
    check(&session, &args.schema).await
}

/// Checks the conditions in one snapshot and prints a row for each.
///
/// # Errors
/// [`CliError::Inconsistent`] when a condition does not hold.
pub(super) async fn check(session: &Session, schema: &str) -> Result<(), CliError> {
    let sql = format!(
        "SELECT condition, holds, violations, description, example FROM tpcc_check({})",
        literal(schema)
    );
    let mut table = Table::new(["", "condition", "violations", "example"]);
    let (mut held, mut broken) = (0, 0);
    for message in run_query(session, &sql).await? {
        let SimpleQueryMessage::Row(row) = message else {
            continue;
        };
        let field = |index| row.try_get(index).ok().flatten().unwrap_or_default();
        let (number, holds, violations) = (field(0), field(1) == "t", field(2));
        let mark = if holds { "ok" } else { "BROKEN" };
        *(if holds { &mut held } else { &mut broken }) += 1;
        table.row([
            mark.to_owned(),
            format!("{number:>2}  {}", field(3)),
            violations.into(),
            field(4).into(),
        ]);
    }
    if held + broken == 0 {
        return Err(CliError::Answer("tpcc_check"));
    }
    println!("{table}");
    println!("{held} of {} consistency conditions hold.", held + broken);
    if broken > 0 {
        Err(CliError::Inconsistent(broken))
    } else {
        Ok(())
    }
}
