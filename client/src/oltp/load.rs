//! Loads sysbench's tables: rows over several connections, a chunk of a table a transaction, then keys, indexes, vacuum
//! and statistics.
//!
//! A chunk's rows and its line in `oltp_load` are committed together, so that a load goes on where another one stopped;
//! that table goes when all is there.

use std::collections::HashSet;
use std::pin::pin;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio_postgres::{Client, Error};
use workload::counted;
use workload::oltp::{Knobs, SbtestRows, table};
use workload::schema::script::literal;

use super::{STATE, drop_command, look};
use crate::connect::{BEGIN_SAFELY, Connector, Session};
use crate::crew::{
    Budget, Count, Crew, EMPTIED, Step, TablesError, Terms, Work, chunks, copy, hold,
};
use crate::load::query::{number, rows};
use crate::schema::schema_exists;

/// Rows of a chunk: a second of work.
const CHUNK_ROWS: i32 = 100_000;
/// What a row writes: its part of a page, and the same again to the log.
const WRITTEN_PER_ROW: f64 = 2.0 * 8192.0 / 36.0;

/// What a load is asked to do.
#[derive(Debug, Clone)]
pub struct Options {
    /// Tables.
    pub tables: u32,
    /// Rows of each.
    pub table_size: i32,
    /// The seed of the rows.
    pub seed: i64,
    /// How the values of k are drawn.
    pub knobs: Knobs,
    /// The schema as an SQL identifier.
    pub quoted: String,
    /// Whether the tables are not logged.
    pub unlogged: bool,
    /// The schema of the extension, as an SQL identifier, where the server makes the rows by itself.
    pub extension: Option<String>,
    /// The most bytes a second that the rows may write.
    pub max_write: Option<f64>,
    /// Where and how.
    pub terms: Terms,
}

impl Options {
    /// What is loaded, in words: what must be the same for a load to go on.
    fn what(&self) -> String {
        let unlogged = if self.unlogged { ", unlogged" } else { "" };
        format!(
            "{} of {} rows with k {} and seed {}{unlogged}",
            counted(self.tables, "table"),
            self.table_size,
            self.knobs.rand_type,
            self.seed
        )
    }

    fn chunks_of_table(&self) -> i64 {
        (i64::from(self.table_size) - 1) / i64::from(CHUNK_ROWS) + 1
    }
}

/// What a load has come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loaded {
    /// Rows that this call has written.
    pub rows: u64,
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
        rows: SbtestRows::new(options.seed, options.table_size, &options.knobs),
        budget: Budget::new(options.max_write),
    };
    let crew = Crew::new(connector, terms, &work, &tell);
    let expected = missing.iter().map(Chunk::rows).sum();
    let written = crew
        .run(
            &mut leader,
            missing.into_iter().map(Task::Chunk),
            (expected, "rows"),
            &mut interrupt,
        )
        .await?;
    if written > 0 {
        tell("keys, indexes, vacuum and statistics");
    }
    for steps in steps(options) {
        let tasks = steps.into_iter().map(Task::Step);
        crew.run(&mut leader, tasks, (0, ""), &mut interrupt)
            .await?;
    }
    // A crash empties unlogged tables behind the back of who writes them.
    let lines = rows(&leader, &format!("SELECT chunk FROM {quoted}.{STATE}")).await?;
    let all = i64::from(options.tables) * options.chunks_of_table();
    if lines.len() as i64 != all + 1 {
        return Err(TablesError::Occupied {
            schema: terms.schema.clone(),
            whose: "sysbench's",
            found: EMPTIED.to_owned(),
            mend: drop_command(&terms.schema),
        });
    }
    leader
        .batch_execute(&format!("DROP TABLE {quoted}.{STATE}; COMMIT"))
        .await?;
    Ok(Loaded {
        rows: written,
        time: started.elapsed(),
    })
}

/// Creates what is missing but the rows, and tells which chunks are.
async fn prepare(
    client: &Client,
    options: &Options,
    tell: &impl Fn(&str),
) -> Result<Vec<Chunk>, TablesError> {
    let Options { quoted, terms, .. } = options;
    let schema = &terms.schema;
    client.batch_execute(BEGIN_SAFELY).await?;
    let found = look(client, schema).await?;
    let what = options.what();
    let occupied = |found: String| TablesError::Occupied {
        schema: schema.clone(),
        whose: "sysbench's",
        found,
        mend: drop_command(schema),
    };
    let all = i64::from(options.tables) * options.chunks_of_table();
    match found.unfinished {
        Some((other, _)) if other.is_empty() => return Err(occupied(EMPTIED.to_owned())),
        Some((other, _)) if other != what => {
            return Err(occupied(format!(
                "of a load that was not finished, {other}"
            )));
        }
        Some((_, loaded)) => tell(&format!("found {loaded} of {all} chunks loaded, going on")),
        None if !found.tables.is_empty() => {
            return Err(occupied(counted(found.tables.len(), "table")));
        }
        None => {
            // CREATE SCHEMA IF NOT EXISTS would ask for a right on the database even if it is there.
            if !schema_exists(client, schema).await? {
                client
                    .batch_execute(&format!("CREATE SCHEMA {quoted}"))
                    .await?;
            }
            client.batch_execute(&creation(options)).await?;
            tell(&format!("loading {what} into schema \"{schema}\""));
        }
    }
    let there = rows(client, &format!("SELECT chunk FROM {quoted}.{STATE}")).await?;
    client.batch_execute("COMMIT").await?;
    let there: HashSet<i64> = there.iter().map(|row| number(row, 0)).collect();
    Ok((1..=all)
        .filter(|chunk| !there.contains(chunk))
        .map(|chunk| Chunk::numbered(chunk, options))
        .collect())
}

fn creation(options: &Options) -> String {
    let unlogged = if options.unlogged { "UNLOGGED" } else { "" };
    let tables = (1..=options.tables).map(|number| {
        include_str!("../../../sql/oltp/table.sql")
            .replace("{unlogged}", unlogged)
            .replace("{table}", &table(number))
            .replace("{schema}", &options.quoted)
    });
    let state = include_str!("../../../sql/oltp/load_state.sql")
        .replace("{unlogged}", unlogged)
        .replace("{load}", &literal(&options.what()))
        .replace("{schema}", &options.quoted);
    tables.chain([state]).collect()
}

/// What follows the rows. All steps of a list may be done at once; vacuum comes first, while the tables have no index
/// that it would have to look at.
fn steps(options: &Options) -> Vec<Vec<Step>> {
    let Options { quoted, terms, .. } = options;
    let schema = &terms.schema;
    let tables = || (1..=options.tables).map(|number| (number, table(number)));
    let vacuum = |(_, table)| Step::any_time(format!("VACUUM (ANALYZE) {quoted}.{table}"));
    let key = |(_, table): (u32, String)| {
        let name = format!("{table}_pkey");
        let sql = format!("ALTER TABLE {quoted}.{table} ADD CONSTRAINT {name} PRIMARY KEY (id)");
        Step::constraint(schema, &name, sql)
    };
    let index = |(number, table): (u32, String)| {
        let name = format!("k_{number}");
        let sql = format!("CREATE INDEX {name} ON {quoted}.{table} (k)");
        Step::index(schema, &name, sql)
    };
    let sequence = |(_, table): (u32, String)| {
        let size = options.table_size;
        Step::any_time(format!(
            "SELECT pg_catalog.setval('{}'::pg_catalog.regclass, {size})",
            format!("{quoted}.{table}_id_seq").replace('\'', "''")
        ))
    };
    vec![
        tables().map(vacuum).collect(),
        tables().map(key).collect(),
        tables().map(index).chain(tables().map(sequence)).collect(),
    ]
}

/// Rows `first` to `last` of a table.
#[derive(Debug, Clone, Copy)]
struct Chunk {
    number: i64,
    table: u32,
    first: i32,
    last: i32,
}

impl Chunk {
    /// From 1 on; the tables take turns, so that two connections seldom extend the same one.
    fn numbered(number: i64, options: &Options) -> Chunk {
        let tables = i64::from(options.tables);
        let before = (number - 1) / tables * i64::from(CHUNK_ROWS);
        let last = (before + i64::from(CHUNK_ROWS)).min(options.table_size.into());
        Chunk {
            number,
            table: ((number - 1) % tables) as u32 + 1,
            first: before as i32 + 1,
            last: last as i32,
        }
    }

    fn rows(&self) -> u64 {
        (i64::from(self.last) - i64::from(self.first) + 1) as u64
    }
}

/// What a connection does in one go.
enum Task {
    /// Writes the rows of a chunk, with its line of the state.
    Chunk(Chunk),
    /// A key, an index, or a vacuum.
    Step(Step),
}

struct Filling<'a> {
    options: &'a Options,
    rows: SbtestRows,
    budget: Budget,
}

impl Filling<'_> {
    async fn chunk(&self, client: &Client, chunk: &Chunk, count: &Count<'_>) -> Result<(), Error> {
        let Options { quoted, terms, .. } = self.options;
        let Chunk {
            number,
            table: of,
            first,
            last,
        } = *chunk;
        client.batch_execute("BEGIN").await?;
        match &self.options.extension {
            Some(extension) => {
                let Options {
                    table_size,
                    seed,
                    knobs,
                    ..
                } = self.options;
                let sql = format!(
                    "SELECT {extension}.oltp_write_rows({}, {of}, {first}, {last}, {table_size}, ({seed})::bigint, {})",
                    literal(&terms.schema),
                    literal(&json!(knobs).to_string())
                );
                client.batch_execute(&sql).await?;
                count.add(chunk.rows());
                let written = chunk.rows() as f64 * WRITTEN_PER_ROW;
                self.budget.wait(written, count).await;
            }
            None => {
                let table = table(of);
                let sql =
                    format!("COPY {quoted}.{table} (id, k, c, pad) FROM STDIN (FORMAT binary)");
                let rows = chunks(self.rows.of(of, first, last));
                copy(client, &sql, rows, count, (&self.budget, WRITTEN_PER_ROW)).await?;
            }
        }
        client
            .batch_execute(&format!(
                "INSERT INTO {quoted}.{STATE} (chunk, load) VALUES ({number}, ''); COMMIT"
            ))
            .await
    }
}

impl Work for Filling<'_> {
    type Task = Task;

    fn settings(&self) -> &str {
        "SET search_path = pg_catalog, pg_temp; SET synchronous_commit = on; SET client_min_messages = warning; \
         SET maintenance_work_mem = '256MB'; SET application_name = 'tpcc oltp load'"
    }

    async fn attempt(
        &self,
        session: &Session,
        task: &Task,
        count: &Count<'_>,
    ) -> Result<(), Error> {
        match task {
            Task::Chunk(chunk) => self.chunk(session, chunk, count).await,
            Task::Step(step) => step.run(session).await,
        }
    }

    async fn is_done(&self, session: &Session, task: &Task) -> Result<bool, Error> {
        match task {
            Task::Chunk(Chunk { number, .. }) => {
                let Options { quoted, .. } = self.options;
                let line = format!("SELECT FROM {quoted}.{STATE} WHERE chunk = {number}");
                Ok(!rows(session, &line).await?.is_empty())
            }
            Task::Step(step) => step.is_done(session).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_every_row_once() {
        let options = Options {
            tables: 3,
            table_size: 250_000,
            seed: 1,
            knobs: Knobs::default(),
            quoted: "s".to_owned(),
            unlogged: false,
            extension: None,
            max_write: None,
            terms: Terms {
                schema: "s".to_owned(),
                connections: 1,
                reconnect_timeout: Duration::ZERO,
                report_every: Duration::ZERO,
            },
        };
        let all = i64::from(options.tables) * options.chunks_of_table();
        let mut covered = [0; 3];
        for number in 1..=all {
            let chunk = Chunk::numbered(number, &options);
            assert_eq!(chunk.first, covered[chunk.table as usize - 1] + 1);
            covered[chunk.table as usize - 1] = chunk.last;
        }
        assert_eq!(covered, [250_000; 3]);
    }
}
