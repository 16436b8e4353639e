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

/// How many conditions there are, and how many of them hold.
pub(super) struct Verdict {
    pub held: usize,
    pub all: usize,
}

impl Verdict {
    /// # Errors
    /// [`CliError::Inconsistent`] when a condition does not hold.
    pub(super) fn into_result(self) -> Result<(), CliError> {
        match self.all - self.held {
            0 => Ok(()),
            broken => Err(CliError::Inconsistent(broken)),
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} of {} conditions hold", self.held, self.all)
    }
}

/// Connects, checks and prints.
pub(super) async fn run(args: CheckArgs) -> Result<(), CliError> {
    let session = Session::open(&args.connection.connector()?, show).await?;
    let verdict = check(&session, &args.schema).await?;
    println!("{verdict}");
    verdict.into_result()
}

/// Checks the conditions in one snapshot and prints a row for each.
pub(super) async fn check(session: &Session, schema: &str) -> Result<Verdict, CliError> {
    let sql = format!(
        "SELECT condition, holds, violations, description, example FROM tpcc_check({})",
        literal(schema)
    );
    let mut table = Table::new(["", "no.", "condition", "violations", "example"]);
    let mut verdict = Verdict { held: 0, all: 0 };
    for message in run_query(session, &sql).await? {
        let SimpleQueryMessage::Row(row) = message else {
            continue;
        };
        let field = |index| row.try_get(index).ok().flatten().unwrap_or_default();
        let holds = field(1) == "t";
        verdict.all += 1;
        verdict.held += usize::from(holds);
        table.row([
            if holds { "ok" } else { "BROKEN" }.to_owned(),
            field(0).to_owned(),
            field(3).to_owned(),
            field(2).to_owned(),
            field(4).to_owned(),
        ]);
    }
    if verdict.all == 0 {
        return Err(CliError::Answer("tpcc_check"));
    }
    println!("{table}");
    Ok(verdict)
}
