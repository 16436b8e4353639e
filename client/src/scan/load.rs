//! The table of the scan, made in the server: chunks of rows over several connections, each committed with the line
//! that says that it is there, so that a load goes on where another stopped.

use std::pin::pin;
use std::time::{Duration, Instant};

use tokio_postgres::Client;

use super::ScanError;
use super::cancel::or_cancel;
use super::tables::{Found, command, find};
use super::work::{Making, Task};
use crate::connect::{BEGIN_SAFELY, Connector, Session};
use crate::crew::{Crew, Terms, hold};
use crate::schema::schema_exists;

/// The seed of a table for which none was asked.
const DEFAULT_SEED: i64 = 1;

/// What a load is asked to do.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// Rows that are to be there.
    pub rows: i64,
    /// Connections that write.
    pub connections: usize,
    /// The schema's name.
    pub schema: String,
    /// The same as an SQL identifier.
    pub quoted: String,
    /// The seed of the rows; by default that of the table.
    pub seed: Option<i64>,
    /// Whether a table that is created is not logged.
    pub unlogged: bool,
    /// How long a lost connection is tried again.
    pub reconnect_timeout: Duration,
    /// Time between two lines of progress.
    pub report_every: Duration,
}

/// What a load left.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadReport {
    /// Rows that are there.
    pub rows: u64,
    /// Rows that this load wrote.
    pub written: u64,
    /// How many of all rows the count finds.
    pub matching: u64,
    /// The size of the table.
    pub bytes: u64,
    /// How long the load took, in seconds.
    pub seconds: f64,
}

/// Makes what is missing of the table. `tell` gets what happens, a line at a time; `interrupt` ends the load when it
/// is ready.
///
/// # Errors
/// [`ScanError`]; whatever was committed stays, and another call goes on from there.
pub async fn load(
    connector: &Connector,
    options: &LoadOptions,
    interrupt: impl Future<Output = ()>,
    tell: impl Fn(&str),
) -> Result<LoadReport, ScanError> {
    let started = Instant::now();
    let mut interrupt = pin!(interrupt);
    let mut leader = hold(connector, &options.schema).await?;
    let session = Session::open(connector, |_| {}).await?;
    let prepared = prepare(&session, options);
    let found = or_cancel(&session, &mut interrupt, prepared).await?;
    drop(session);
    say_what_is_there(&found, options, &tell);
    let mut written = 0;
    let mut state = found;
    let terms = Terms {
        schema: options.schema.clone(),
        connections: options.connections,
        reconnect_timeout: options.reconnect_timeout,
        report_every: options.report_every,
    };
    let making = Making {
        quoted: &options.quoted,
        seed: state.seed,
    };
    let crew = Crew::new(connector, &terms, &making, &tell);
    loop {
        let missing = state.missing();
        let tasks: Vec<Task> = match missing.spans() {
            [] if state.vacuumed => break,
            [] => vec![Task::Vacuum],
            spans => spans.iter().copied().map(Task::Chunk).collect(),
        };
        if missing.rows() == 0 {
            tell("vacuum and statistics");
        }
        let rows = (missing.rows() as u64, "rows");
        written += crew.run(&mut leader, tasks, rows, &mut interrupt).await?;
        // A crash empties an unlogged table, and then rows are missing again.
        state = reread(connector, options).await?;
    }
    Ok(LoadReport {
        rows: state.made.iter().map(|span| span.rows() as u64).sum(),
        written,
        matching: state.matching as u64,
        bytes: state.bytes,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Creates what is not there, and notes what is to be made; all or nothing.
async fn prepare(client: &Client, options: &LoadOptions) -> Result<Found, ScanError> {
    let LoadOptions { schema, quoted, .. } = options;
    client.batch_execute(BEGIN_SAFELY).await?;
    // CREATE SCHEMA IF NOT EXISTS would ask for a right on the database even if it is there.
    if !schema_exists(client, schema).await? {
        client
            .batch_execute(&format!("CREATE SCHEMA {quoted}"))
            .await?;
    }
    let found = find(client, schema).await?;
    let seed = seed(found.as_ref(), options)?;
    if found.is_none() {
        let kind = if options.unlogged { "UNLOGGED" } else { "" };
        let sql = include_str!("../../../sql/scan/tables.sql");
        let sql = sql.replace("{unlogged}", kind).replace("{schema}", quoted);
        client.batch_execute(&sql).await?;
    }
    let there = found.as_ref().map_or(0, |found| found.rows);
    let unfinished = found
        .as_ref()
        .is_none_or(|found| found.missing().rows() > 0);
    if options.rows > there || unfinished {
        let sql = include_str!("../../../sql/scan/write_state.sql")
            .replace("{rows}", &options.rows.max(there).to_string())
            .replace("{seed}", &seed.to_string())
            .replace("{schema}", quoted);
        client.batch_execute(&sql).await?;
    }
    let found = find(client, schema).await?;
    client.batch_execute("COMMIT").await?;
    found.ok_or(gone(options))
}

/// The seed to go on with: all rows of a table have the same.
fn seed(found: Option<&Found>, options: &LoadOptions) -> Result<i64, ScanError> {
    match (found, options.seed) {
        (Some(Found { seed, .. }), Some(asked)) if *seed != asked => Err(ScanError::Refused {
            found: format!(
                "the table in schema \"{}\" was begun with seed {seed}, and seed {asked} was asked for",
                options.schema
            ),
            hint: format!(
                "Leave --seed out to go on with {seed}, or begin anew: {}",
                command("drop", &options.schema)
            ),
        }),
        (Some(Found { seed, .. }), _) => Ok(*seed),
        (None, asked) => Ok(asked.unwrap_or(DEFAULT_SEED)),
    }
}

async fn reread(connector: &Connector, options: &LoadOptions) -> Result<Found, ScanError> {
    let session = Session::open(connector, |_| {}).await?;
    find(&session, &options.schema).await?.ok_or(gone(options))
}

fn gone(options: &LoadOptions) -> ScanError {
    ScanError::Refused {
        found: format!("the table in schema \"{}\" is gone", options.schema),
        hint: "Somebody dropped it: load it again.".to_owned(),
    }
}

fn say_what_is_there(found: &Found, options: &LoadOptions, tell: &impl Fn(&str)) {
    let missing = found.missing().rows();
    let made: i64 = found.made.iter().map(|span| span.rows()).sum();
    let schema = &options.schema;
    if missing > 0 && made == 0 {
        tell(&format!(
            "making {missing} rows in schema \"{schema}\", seed {}",
            found.seed
        ));
    } else if missing > 0 {
        tell(&format!("found {made} of {} rows, going on", found.rows));
    } else if found.rows > options.rows {
        tell(&format!(
            "the table has {} rows, and none is taken away",
            found.rows
        ));
    } else if found.vacuumed {
        tell("nothing to do");
    }
    if found.unlogged != options.unlogged {
        let kind = if found.unlogged { "unlogged" } else { "logged" };
        tell(&format!("the table is {kind}, as it was created"));
    }
}
