//! `tpcc check`: the twelve consistency conditions (clause 3.3.2).

use clap::Args;
use tokio_postgres::SimpleQueryMessage;
use workload::schema::checks::{CONDITIONS, description};
use workload::schema::script::literal;

use super::CliError;
use super::query::{run as run_query, show};
use crate::connect::{BEGIN_SAFELY, BEGIN_SNAPSHOT, ConnectArgs, Session};
use crate::driver::hold::lift_timeouts;
use crate::load::query::{rows, text};
use crate::report::Table;
use crate::schema::{SetArgs, inspect};

/// The flags of `tpcc check`.
#[derive(Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub sets: SetArgs,
    #[command(flatten)]
    pub connection: ConnectArgs,
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

/// Connects, checks each schema and prints.
pub(super) async fn run(args: CheckArgs) -> Result<(), CliError> {
    let session = Session::open(&args.connection.connector()?, show).await?;
    let schemas = args.sets.schemas();
    let mut all = Verdict { held: 0, all: 0 };
    for schema in &schemas {
        if schemas.len() > 1 {
            say!("schema \"{schema}\"");
        }
        let verdict = check(&session, schema).await?;
        say!("{verdict}");
        all.held += verdict.held;
        all.all += verdict.all;
    }
    all.into_result()
}

/// Checks the conditions in one snapshot and prints a row for each.
pub(super) async fn check(session: &Session, schema: &str) -> Result<Verdict, CliError> {
    lift_timeouts(session).await?;
    session.batch_execute(BEGIN_SAFELY).await?;
    let data = inspect(session, schema).await?;
    session.batch_execute("COMMIT").await?;
    let conditions = match extension_schema(session).await? {
        Some(extension) => by_extension(session, &extension, schema).await?,
        None => by_client(session, &data.quoted).await?,
    };
    let mut table = Table::new(["", "no.", "condition", "violations", "example"]);
    let mut verdict = Verdict { held: 0, all: 0 };
    for condition in conditions {
        let holds = condition.violations == "0";
        verdict.all += 1;
        verdict.held += usize::from(holds);
        table.row([
            if holds { "ok" } else { "BROKEN" }.to_owned(),
            condition.number,
            condition.description,
            condition.violations,
            condition.example,
        ]);
    }
    if verdict.all == 0 {
        return Err(CliError::Answer("tpcc_check"));
    }
    say!("{table}");
    Ok(verdict)
}

/// The schema of the extension, quoted, where the database has it.
pub(super) async fn extension_schema(session: &Session) -> Result<Option<String>, CliError> {
    let sql = "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e \
               JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_tpcc'";
    let rows = rows(session, sql).await?;
    Ok(rows.first().map(|row| text(row, 0).to_owned()))
}

/// What a condition gave.
struct Condition {
    number: String,
    description: String,
    violations: String,
    example: String,
}

async fn by_extension(
    session: &Session,
    extension: &str,
    schema: &str,
) -> Result<Vec<Condition>, CliError> {
    let sql = format!(
        "SELECT condition, description, violations, example FROM {extension}.tpcc_check({})",
        literal(schema)
    );
    let mut conditions = Vec::new();
    for message in run_query(session, &sql).await? {
        if let SimpleQueryMessage::Row(row) = message {
            let field = |index| text(&row, index).to_owned();
            conditions.push(Condition {
                number: field(0),
                description: field(1),
                violations: field(2),
                example: field(3),
            });
        }
    }
    Ok(conditions)
}

/// Without the extension: the same queries, one after the other in one snapshot.
async fn by_client(session: &Session, quoted: &str) -> Result<Vec<Condition>, CliError> {
    session.batch_execute(BEGIN_SNAPSHOT).await?;
    let mut conditions = Vec::new();
    for (number, sql) in (1..).zip(CONDITIONS) {
        let sql = sql.replace("{schema}", quoted);
        for message in run_query(session, &sql).await? {
            if let SimpleQueryMessage::Row(row) = message {
                conditions.push(Condition {
                    number: number.to_string(),
                    description: description(&sql).to_owned(),
                    violations: text(&row, 0).to_owned(),
                    example: text(&row, 1).to_owned(),
                });
            }
        }
    }
    session.batch_execute("COMMIT").await?;
    Ok(conditions)
}
