//! Loads pgbench's tables: accounts through binary COPY over several connections, a branch a transaction, then
//! keys, vacuum and statistics.
//!
//! A branch's rows and its row in `tpcb_load` are committed together, so that a load goes on where another one
//! stopped; that table goes when all is there. A connection that is lost, also while a key is built, is opened
//! again, and what it was doing is looked for and done again if need be.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::SinkExt;
use tokio_postgres::Error;
use workload::schema::script::literal;
use workload::tpcb::ACCOUNTS_PER_BRANCH;

use super::copy::Accounts;
use super::create::{self, Partitions};
use super::progress::Progress;
use super::{TpcbError, drop_command, look};
use crate::connect::{BEGIN_SAFELY, Connector, LIFT_TIMEOUTS, Session};
use crate::load::query::{number, rows};
use crate::load::{LoadError, is_loss, reopen};

/// What a load is asked to do.
#[derive(Debug, Clone)]
pub struct Options {
    /// Branches.
    pub scale: i32,
    /// Connections that write.
    pub connections: usize,
    /// The schema's name.
    pub schema: String,
    /// The same as an SQL identifier.
    pub quoted: String,
    /// How full pages are made, in percent.
    pub fillfactor: u8,
    /// Whether the tables are not logged.
    pub unlogged: bool,
    /// Whether foreign keys are added.
    pub foreign_keys: bool,
    /// How pgbench_accounts is cut, if it is.
    pub partitions: Option<Partitions>,
    /// The most bytes a second that the rows may write.
    pub max_write: Option<f64>,
    /// How long a lost connection is tried again.
    pub reconnect_timeout: Duration,
    /// Time between two lines of progress.
    pub report_every: Duration,
}

/// What the connections share.
struct Shared {
    options: Options,
    connector: Connector,
    branches: Mutex<VecDeque<i32>>,
    progress: Mutex<Progress>,
}

/// What a load has come to: rows in all, and how long it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loaded {
    /// Accounts that this call has written.
    pub accounts: u64,
    /// From the start to the last vacuum.
    pub time: Duration,
}

/// Loads what is missing. `tell` gets a line at a time.
///
/// # Errors
/// [`TpcbError`]; what was committed stays, and the same call goes on from there.
pub async fn load(
    connector: &Connector,
    options: &Options,
    interrupt: impl Future<Output = ()>,
    tell: impl Fn(&str),
) -> Result<Loaded, TpcbError> {
    let started = Instant::now();
    let work = async {
        let missing = prepare(connector, options, &tell).await?;
        let accounts = missing.len() as u64 * ACCOUNTS_PER_BRANCH as u64;
        let shared = Arc::new(Shared {
            options: options.clone(),
            connector: connector.clone(),
            branches: Mutex::new(missing),
            progress: Mutex::new(Progress::new(options, accounts)),
        });
        let writers = (0..options.connections).map(|_| write(&shared, &tell));
        for written in futures_util::future::join_all(writers).await {
            written?;
        }
        if accounts > 0 {
            let seconds = started.elapsed().as_secs_f64();
            tell(&format!(
                "{accounts} accounts written in {seconds:.1} s; keys, vacuum"
            ));
        }
        finish(&shared, &tell).await?;
        Ok(Loaded {
            accounts,
            time: started.elapsed(),
        })
    };
    tokio::select! {
        loaded = work => loaded,
        () = interrupt => Err(LoadError::Interrupted.into()),
    }
}

/// Creates what is missing but the accounts, and tells which branches' are.
async fn prepare(
    connector: &Connector,
    options: &Options,
    tell: &impl Fn(&str),
) -> Result<VecDeque<i32>, TpcbError> {
    let Options {
        schema,
        quoted,
        scale,
        ..
    } = options;
    let session = open(connector).await?;
    session.batch_execute(BEGIN_SAFELY).await?;
    // Two loads of one schema at once: the second one waits for what the first has made.
    let key = workload::schema::lock::key(workload::schema::lock::LEADER, schema);
    let lock = format!("SELECT pg_catalog.pg_advisory_xact_lock({key})");
    session.batch_execute(&lock).await?;
    let found = look(&session, schema).await?;
    let occupied = |found: String| TpcbError::Occupied {
        schema: schema.clone(),
        found,
        mend: drop_command(schema),
    };
    match found.unfinished {
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
            session.batch_execute(&create::statements(options)).await?;
            tell(&format!("loading scale {scale} into schema \"{schema}\""));
        }
    }
    session.batch_execute("COMMIT").await?;
    let sql = format!("SELECT bid FROM {quoted}.tpcb_load");
    let there = rows(&session, &sql).await?;
    let there: std::collections::HashSet<i32> =
        there.iter().map(|row| number(row, 0) as i32).collect();
    Ok((1..=*scale).filter(|bid| !there.contains(bid)).collect())
}

/// A session with the settings of a load.
async fn open(connector: &Connector) -> Result<Session, LoadError> {
    let session = Session::open(connector, |_| {}).await?;
    let sql = format!("{SETTINGS}; {LIFT_TIMEOUTS}");
    session.batch_execute(&sql).await?;
    Ok(session)
}

/// What every connection of a load sets for itself; none needs a right.
const SETTINGS: &str = "
    SET search_path = pg_catalog, pg_temp; SET synchronous_commit = on; SET client_min_messages = warning;
    SET maintenance_work_mem = '256MB'; SET application_name = 'tpcc tpcb load'";

/// Says what was lost, and opens it again.
async fn open_again(
    shared: &Shared,
    error: &Error,
    tell: &impl Fn(&str),
) -> Result<Session, LoadError> {
    tell(&format!(
        "a connection was lost ({error}); connecting again"
    ));
    let timeout = shared.options.reconnect_timeout;
    reopen(|| false, timeout, async || open(&shared.connector).await).await
}

/// One connection: it writes one branch after the other until none is left.
async fn write(shared: &Arc<Shared>, tell: &impl Fn(&str)) -> Result<(), TpcbError> {
    let mut session = open(&shared.connector).await?;
    loop {
        let bid = lock(&shared.branches).pop_front();
        let Some(bid) = bid else {
            return Ok(());
        };
        loop {
            let error = match branch(&session, shared, bid, tell).await {
                Ok(()) => break,
                Err(error) => error,
            };
            if !is_loss(&error) && !session.is_closed() {
                return Err(error.into());
            }
            session = open_again(shared, &error, tell).await?;
            let sql = format!(
                "SELECT bid FROM {}.tpcb_load WHERE bid = {bid}",
                shared.options.quoted
            );
            // Lost while it was committed.
            if !rows(&session, &sql).await?.is_empty() {
                break;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The accounts of a branch, with its row of the state.
async fn branch(
    session: &Session,
    shared: &Shared,
    bid: i32,
    tell: &impl Fn(&str),
) -> Result<(), Error> {
    let Options { quoted, scale, .. } = &shared.options;
    session.batch_execute("BEGIN").await?;
    let copy = format!(
        "COPY {quoted}.pgbench_accounts (aid, bid, abalance, filler) FROM STDIN (FORMAT binary)"
    );
    let mut sink = pin!(session.copy_in(&copy).await?);
    for (chunk, rows) in Accounts::of(bid, create::is_big(*scale)) {
        sink.send(chunk).await?;
        let (wait, line) = lock(&shared.progress).wrote(rows);
        if let Some(line) = line {
            tell(&line);
        }
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
    sink.finish().await?;
    session
        .batch_execute(&format!(
            "INSERT INTO {quoted}.tpcb_load (bid, scale) VALUES ({bid}, {scale}); COMMIT"
        ))
        .await
}

/// Keys, vacuum and statistics, each as often as it takes.
async fn finish(shared: &Shared, tell: &impl Fn(&str)) -> Result<(), TpcbError> {
    let Options { schema, quoted, .. } = &shared.options;
    let key = |table: &str, columns: &str| {
        let name = format!("{table}_pkey");
        let sql =
            format!("ALTER TABLE {quoted}.{table} ADD CONSTRAINT {name} PRIMARY KEY ({columns})");
        (name, sql)
    };
    let mut constraints = vec![
        key("pgbench_branches", "bid"),
        key("pgbench_tellers", "tid"),
        key("pgbench_accounts", "aid"),
    ];
    if shared.options.foreign_keys {
        for (table, column, of) in [
            ("pgbench_tellers", "bid", "pgbench_branches"),
            ("pgbench_accounts", "bid", "pgbench_branches"),
            ("pgbench_history", "bid", "pgbench_branches"),
            ("pgbench_history", "tid", "pgbench_tellers"),
            ("pgbench_history", "aid", "pgbench_accounts"),
        ] {
            let name = format!("{table}_{column}_fkey");
            let sql = format!(
                "ALTER TABLE {quoted}.{table} ADD CONSTRAINT {name} FOREIGN KEY ({column}) \
                 REFERENCES {quoted}.{of}"
            );
            constraints.push((name, sql));
        }
    }
    let mut session = open(&shared.connector).await?;
    for (name, sql) in constraints {
        let there = format!(
            "SELECT FROM pg_catalog.pg_constraint c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace \
             WHERE n.nspname = {} AND c.conname = {}",
            literal(schema),
            literal(&name)
        );
        persist(shared, &mut session, tell, &sql, Some(&there)).await?;
    }
    for table in ["branches", "tellers", "accounts", "history"] {
        let sql = format!("VACUUM (ANALYZE) {quoted}.pgbench_{table}");
        persist(shared, &mut session, tell, &sql, None).await?;
    }
    let sql = format!("DROP TABLE IF EXISTS {quoted}.tpcb_load");
    persist(shared, &mut session, tell, &sql, None).await
}

/// Runs a statement until it is done, by whomever: `there` finds a row when it is.
async fn persist(
    shared: &Shared,
    session: &mut Session,
    tell: &impl Fn(&str),
    sql: &str,
    there: Option<&str>,
) -> Result<(), TpcbError> {
    loop {
        if let Some(there) = there
            && !rows(session, there).await?.is_empty()
        {
            return Ok(());
        }
        let error = match session.batch_execute(sql).await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        if !is_loss(&error) && !session.is_closed() {
            return Err(error.into());
        }
        *session = open_again(shared, &error, tell).await?;
    }
}
