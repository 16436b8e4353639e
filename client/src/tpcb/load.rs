//! Loads pgbench's tables: accounts over several connections, a branch a transaction, then keys, vacuum and
//! statistics.
//!
//! A branch's rows and its row in `tpcb_load` are committed together, so that a load goes on where another one
//! stopped; that table goes when all is there.

use std::collections::HashSet;
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio_postgres::{Client, Error};
use workload::schema::script::literal;
use workload::tpcb::{ACCOUNTS_PER_BRANCH, Account};

use super::create::{self, Partitions};
use super::{drop_command, look};
use crate::connect::{BEGIN_SAFELY, Connector, Session};
use crate::crew::{
    Budget, Count, Crew, EMPTIED, Step, TablesError, Terms, Work, chunks, copy, hold,
};
use crate::load::query::{number, rows};

/// What an account's row writes: the heap's part of a page, and the same again to the log.
const WRITTEN_PER_ACCOUNT: f64 = 2.0 * 8192.0 / 61.0;

/// What a load is asked to do.
#[derive(Debug, Clone)]
pub struct Options {
    /// Branches.
    pub scale: i32,
    /// The schema as an SQL identifier.
    pub quoted: String,
    /// How full pages are made, in percent.
    pub fillfactor: u8,
    /// Whether the tables are not logged.
    pub unlogged: bool,
    /// Whether foreign keys are added.
    pub foreign_keys: bool,
    /// How pgbench_accounts is cut, if it is.
    pub partitions: Option<Partitions>,
    /// The schema of the extension, as an SQL identifier, where the server makes the accounts by itself.
    pub extension: Option<String>,
    /// The most bytes a second that the rows may write.
    pub max_write: Option<f64>,
    /// Where and how.
    pub terms: Terms,
}

/// What a load has come to: rows in all, and how long it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loaded {
    /// Accounts that this call has written.
    pub accounts: u64,
    /// From the start to the last vacuum.
    pub time: Duration,
}

/// Loads what is missing. `tell` gets a line at a time; `interrupt` ends the load when it is ready.
///
/// # Errors
/// [`TablesError`]; what was committed stays, and the same call goes on from there.
pub async fn load(
    connector: &Connector,
    options: &Options,
    interrupt: impl Future<Output = ()>,
    tell: impl Fn(&str),
) -> Result<Loaded, TablesError> {
    let started = Instant::now();
    let mut interrupt = pin!(interrupt);
    let Options { quoted, terms, .. } = options;
    let mut leader = hold(connector, &terms.schema).await?;
    let session = Session::open(connector, |_| {}).await?;
    let missing = prepare(&session, options, &tell).await?;
    let work = Filling {
        options,
        budget: Budget::new(options.max_write),
    };
    let crew = Crew::new(connector, terms, &work, &tell);
    let expected = missing.len() as u64 * ACCOUNTS_PER_BRANCH as u64;
    let accounts = crew
        .run(
            &mut leader,
            missing.into_iter().map(Task::Branch),
            (expected, "accounts"),
            &mut interrupt,
        )
        .await?;
    if accounts > 0 {
        tell("keys, vacuum and statistics");
    }
    for steps in steps(options) {
        let tasks = steps.into_iter().map(Task::Step);
        crew.run(&mut leader, tasks, (0, ""), &mut interrupt)
            .await?;
    }
    // A crash empties unlogged tables behind the back of who writes them.
    let lines = rows(&leader, &format!("SELECT bid FROM {quoted}.tpcb_load")).await?;
    if lines.len() != options.scale as usize + 1 {
        return Err(TablesError::Occupied {
            schema: terms.schema.clone(),
            whose: "pgbench's",
            found: EMPTIED.to_owned(),
            mend: drop_command(&terms.schema),
        });
    }
    leader
        .batch_execute(&format!("DROP TABLE {quoted}.tpcb_load; COMMIT"))
        .await?;
    Ok(Loaded {
        accounts,
        time: started.elapsed(),
    })
}

/// Creates what is missing but the accounts, and tells which branches' are.
async fn prepare(
    client: &Client,
    options: &Options,
    tell: &impl Fn(&str),
) -> Result<Vec<i32>, TablesError> {
    let Options {
        quoted,
        scale,
        terms: Terms { schema, .. },
        ..
    } = options;
    client.batch_execute(BEGIN_SAFELY).await?;
    let found = look(client, schema).await?;
    let occupied = |found: String| TablesError::Occupied {
        schema: schema.clone(),
        whose: "pgbench's",
        found,
        mend: drop_command(schema),
    };
    match found.unfinished {
        Some((0, _)) => return Err(occupied(EMPTIED.to_owned())),
        Some((of, _)) if of != *scale => {
            return Err(occupied(format!(
                "of a load of scale {of} that was not finished"
            )));
        }
        Some((_, loaded)) => {
            tell(&format!(
                "found {loaded} of {scale} branches loaded, going on"
            ));
        }
        None if !found.tables.is_empty() => {
            return Err(occupied(found.tables.join(", ")));
        }
        None => {
            client.batch_execute(&create::statements(options)).await?;
            tell(&format!("loading scale {scale} into schema \"{schema}\""));
        }
    }
    let there = rows(client, &format!("SELECT bid FROM {quoted}.tpcb_load")).await?;
    client.batch_execute("COMMIT").await?;
    let there: HashSet<i32> = there.iter().map(|row| number(row, 0) as i32).collect();
    Ok((1..=*scale).filter(|bid| !there.contains(bid)).collect())
}

/// What follows the rows. All steps of a list may be done at once; vacuum comes first, while the tables have no index
/// that it would have to look at.
fn steps(options: &Options) -> Vec<Vec<Step>> {
    let Options { quoted, terms, .. } = options;
    let constraint = |table: &str, suffix: &str, what: String| {
        let name = format!("{table}_{suffix}");
        let sql = format!("ALTER TABLE {quoted}.{table} ADD CONSTRAINT {name} {what}");
        Step::constraint(&terms.schema, &name, sql)
    };
    let key =
        |table: &str, column: &str| constraint(table, "pkey", format!("PRIMARY KEY ({column})"));
    let foreign = |(table, column, of): (&str, &str, &str)| {
        let what = format!("FOREIGN KEY ({column}) REFERENCES {quoted}.{of}");
        constraint(table, &format!("{column}_fkey"), what)
    };
    let vacuum = |table: &str| Step::any_time(format!("VACUUM (ANALYZE) {quoted}.{table}"));
    let mut steps = vec![
        [
            "pgbench_accounts",
            "pgbench_branches",
            "pgbench_tellers",
            "pgbench_history",
        ]
        .map(vacuum)
        .into(),
        vec![
            key("pgbench_accounts", "aid"),
            key("pgbench_branches", "bid"),
            key("pgbench_tellers", "tid"),
        ],
    ];
    if options.foreign_keys {
        // One after the other: each locks two tables.
        let foreign_keys = [
            ("pgbench_tellers", "bid", "pgbench_branches"),
            ("pgbench_accounts", "bid", "pgbench_branches"),
            ("pgbench_history", "bid", "pgbench_branches"),
            ("pgbench_history", "tid", "pgbench_tellers"),
            ("pgbench_history", "aid", "pgbench_accounts"),
        ];
        steps.extend(foreign_keys.map(|of| vec![foreign(of)]));
    }
    steps
}

/// What a connection does in one go.
enum Task {
    /// Writes the accounts of a branch, with its row of the state.
    Branch(i32),
    /// A key, or a vacuum.
    Step(Step),
}

struct Filling<'a> {
    options: &'a Options,
    budget: Budget,
}

impl Filling<'_> {
    async fn branch(&self, client: &Client, bid: i32, count: &Count<'_>) -> Result<(), Error> {
        let Options { quoted, scale, .. } = self.options;
        client.batch_execute("BEGIN").await?;
        let budget = (&self.budget, WRITTEN_PER_ACCOUNT);
        let is_big = create::is_big(*scale);
        match &self.options.extension {
            Some(extension) => {
                let schema = literal(&self.options.terms.schema);
                let sql =
                    format!("SELECT {extension}.tpcb_write_accounts({schema}, {bid}, {is_big})");
                client.batch_execute(&sql).await?;
                let rows = ACCOUNTS_PER_BRANCH as u64;
                count.add(rows);
                let (budget, row_bytes) = budget;
                budget.wait(rows as f64 * row_bytes, count).await;
            }
            None => {
                let sql = format!("COPY {quoted}.pgbench_accounts FROM STDIN (FORMAT binary)");
                if is_big {
                    let accounts = chunks(Account::<true>::of(bid));
                    copy(client, &sql, accounts, count, budget).await?;
                } else {
                    let accounts = chunks(Account::<false>::of(bid));
                    copy(client, &sql, accounts, count, budget).await?;
                }
            }
        }
        let state = format!("INSERT INTO {quoted}.tpcb_load (bid, scale) VALUES ({bid}, {scale})");
        client.batch_execute(&format!("{state}; COMMIT")).await
    }
}

impl Work for Filling<'_> {
    type Task = Task;

    fn settings(&self) -> &str {
        "SET search_path = pg_catalog, pg_temp; SET synchronous_commit = on; SET client_min_messages = warning; \
         SET maintenance_work_mem = '256MB'; SET application_name = 'tpcc tpcb load'"
    }

    async fn attempt(
        &self,
        session: &Session,
        task: &Task,
        count: &Count<'_>,
    ) -> Result<(), Error> {
        match task {
            Task::Branch(bid) => self.branch(session, *bid, count).await,
            Task::Step(step) => step.run(session).await,
        }
    }

    async fn is_done(&self, session: &Session, task: &Task) -> Result<bool, Error> {
        match task {
            Task::Branch(bid) => {
                let Options { quoted, .. } = self.options;
                let line = format!("SELECT FROM {quoted}.tpcb_load WHERE bid = {bid}");
                Ok(!rows(session, &line).await?.is_empty())
            }
            Task::Step(step) => step.is_done(session).await,
        }
    }
}
