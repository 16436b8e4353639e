//! The initial population (clause 4.3.3) without an extension: rows through binary COPY over several
//! connections, then keys, indexes, vacuum and statistics.
//!
//! The same rows, tables and state as those of `tpcc_load`, so that either goes on where the other stopped:
//! a unit's rows and its line of the state are committed together ([`worker`]), what is left to do is on a
//! [`board`] that all connections share, and one session holds the schema's lock meanwhile and tells how far
//! the load is.

mod board;
mod drop;
mod prepare;
mod progress;
pub(crate) mod query;
mod worker;

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::connect::CancelToken;
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;
use tokio::time::MissedTickBehavior;
use workload::schema::Fillfactors;
use workload::schema::script::{literal, table_named};
use workload::tpcc::{Population, Table};

use board::{Board, Counters};
use progress::Progress;
use worker::Worker;

use crate::connect::{Connector, Session};
use crate::crew::{LoadError, hold, reopen};

pub use drop::drop_all;
pub(crate) use drop::{drop_routines, drop_schema_if_ours};

/// How long the leader sleeps before it looks again.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What a load is asked to do.
#[derive(Debug, Clone)]
pub struct Options {
    /// Warehouses 1 to this are to be there.
    pub warehouses: i32,
    /// Connections that write.
    pub connections: usize,
    /// The schema's name.
    pub schema: String,
    /// The same as an SQL identifier.
    pub quoted: String,
    /// The seed of the rows; by default that of the schema.
    pub seed: Option<i64>,
    /// Whether foreign keys are to be added.
    pub foreign_keys: bool,
    /// Whether tables that are created are not logged.
    pub unlogged: bool,
    /// For tables that are created.
    pub fillfactors: Fillfactors,
    /// How long a lost connection is tried again.
    pub reconnect_timeout: Duration,
    /// Time between two lines of progress.
    pub report_every: Duration,
}

impl Options {
    fn drop_command(&self) -> String {
        crate::schema::mending(&self.schema, 1).replace("load --warehouses 1", "drop")
    }
}

/// A row of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct TableReport {
    /// The table.
    pub table: Table,
    /// Its rows, counted when they were written.
    pub rows: u64,
    /// Its size with its indexes.
    pub bytes: u64,
    /// What the connections spent on it in this call, added up.
    pub seconds: f64,
}

/// What the connections of a load share.
struct Shared {
    board: Mutex<Board>,
    counters: Counters,
    stopped: AtomicBool,
    tokens: Mutex<Vec<Option<CancelToken>>>,
    said: UnboundedSender<String>,
}

impl Shared {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn tell_loss(&self, error: &tokio_postgres::Error) {
        let reason = match error.as_db_error() {
            Some(db) => db.message().to_owned(),
            None => error.to_string(),
        };
        // Nobody listens any more when the load is over.
        let _ = self.said.send(format!(
            "a connection was lost ({reason}); connecting again"
        ));
    }
}

/// Loads what is missing of a schema. `tell` gets what happens, a line at a time; `interrupt` ends the load
/// when it is ready.
///
/// # Errors
/// [`LoadError`]; whatever was committed stays, and another call goes on from there.
pub async fn load(
    connector: &Connector,
    options: &Options,
    interrupt: impl Future<Output = ()>,
    tell: impl Fn(&str),
) -> Result<Vec<TableReport>, LoadError> {
    let started = Instant::now();
    let mut interrupt = pin!(interrupt);
    let mut leader = hold(connector, &options.schema).await?;
    loop {
        match pass(connector, options, leader, started, &mut interrupt, &tell).await {
            Err(LoadError::Emptied) => {
                tell("unlogged tables may be empty after a crash: looking again");
                leader = reopen(
                    || false,
                    options.reconnect_timeout,
                    async || hold(connector, &options.schema).await,
                )
                .await?;
            }
            result => return result,
        }
    }
}

/// Loads what is missing, until everything is there or a crash may have emptied the tables.
async fn pass(
    connector: &Connector,
    options: &Options,
    leader: Session,
    started: Instant,
    interrupt: &mut (impl Future<Output = ()> + Unpin),
    tell: &impl Fn(&str),
) -> Result<Vec<TableReport>, LoadError> {
    let session = session(connector).await?;
    let prepared = prepare::prepare(&session, options).await?;
    for line in &prepared.found {
        tell(line);
    }
    let mut rows = prepared.loaded;
    let nothing = prepared.board.is_done();
    let expected = (prepared.rows, prepared.board.expected());
    let (said, lines) = unbounded_channel();
    let work = Arc::new(Work {
        connector: connector.clone(),
        options: options.clone(),
        shared: Shared {
            board: Mutex::new(prepared.board),
            counters: Counters::default(),
            stopped: AtomicBool::new(false),
            tokens: Mutex::new(vec![None; options.connections]),
            said,
        },
        population: Population::new(prepared.seed),
        unlogged: prepared.unlogged,
    });
    if nothing {
        tell("nothing to do");
    } else {
        let crew = Crew {
            work: &work,
            lines,
            progress: Progress::new(started, options.report_every, expected),
            tell,
        };
        crew.run(leader, interrupt).await?;
    }
    let session = if session.is_closed() {
        self::session(connector).await?
    } else {
        session
    };
    if !nothing {
        rows = Default::default();
        for row in query::rows(&session, &workload::schema::Loaded::query(&options.quoted)).await? {
            let [w_id, count] = [1, 2].map(|column| query::number(&row, column));
            rows.add(query::text(&row, 0), w_id as i32, count as u64);
        }
    }
    let sql = include_str!("../../../sql/client/sizes.sql");
    let mut bytes = [0; 9];
    for row in query::rows(&session, &sql.replace("{name}", &literal(&options.schema))).await? {
        if let Some(table) = table_named(query::text(&row, 0)) {
            bytes[table as usize] = query::number(&row, 1) as u64;
        }
    }
    Ok(Table::ALL
        .map(|table| TableReport {
            table,
            rows: rows.rows(table),
            bytes: bytes[table as usize],
            seconds: work.shared.counters.spent_us[table as usize].load(Ordering::Relaxed) as f64
                / 1e6,
        })
        .into())
}

async fn session(connector: &Connector) -> Result<Session, LoadError> {
    Ok(Session::open(connector, |_| {}).await?)
}

/// The threads with their connections, and who watches them.
struct Crew<'a, T> {
    work: &'a Arc<Work>,
    lines: UnboundedReceiver<String>,
    progress: Progress,
    tell: &'a T,
}

/// What a thread needs.
struct Work {
    connector: Connector,
    options: Options,
    shared: Shared,
    population: Population,
    unlogged: bool,
}

impl<T: Fn(&str)> Crew<'_, T> {
    /// Waits until all connections are done. The first error ends the others.
    async fn run(
        mut self,
        mut leader: Session,
        mut interrupt: &mut (impl Future<Output = ()> + Unpin),
    ) -> Result<(), LoadError> {
        let (mut ends, mut left) = self.start()?;
        let mut first_error = None;
        let mut interrupted = false;
        let mut tick = tokio::time::interval(LOOK_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while left > 0 {
            let shared = &self.work.shared;
            tokio::select! {
                Some(result) = ends.recv() => {
                    left -= 1;
                    if let Err(error) = result {
                        // Who stopped because another failed knows less.
                        if !interrupted && matches!(first_error, None | Some(LoadError::Interrupted)) {
                            first_error = Some(error);
                        }
                        shared.stop();
                        worker::cancel_all(&self.work.connector, shared).await;
                    }
                }
                Some(line) = self.lines.recv() => (self.tell)(&line),
                () = &mut interrupt, if !interrupted => {
                    interrupted = true;
                    first_error.get_or_insert(LoadError::Interrupted);
                    shared.stop();
                    worker::cancel_all(&self.work.connector, shared).await;
                }
                _ = tick.tick() => {
                    if shared.is_stopped() {
                        // A statement that had just begun when the others were cancelled.
                        worker::cancel_all(&self.work.connector, shared).await;
                    } else if let Some(line) = self.progress.look(shared) {
                        (self.tell)(&line);
                    }
                    if leader.is_closed() && !shared.is_stopped() {
                        let Work { connector, options, .. } = &**self.work;
                        let again = reopen(|| shared.is_stopped(), options.reconnect_timeout, async || {
                            hold(connector, &options.schema).await
                        });
                        match again.await {
                            Ok(session) => leader = session,
                            Err(error) => {
                                first_error.get_or_insert(error);
                                shared.stop();
                            }
                        }
                    }
                }
            }
        }
        match first_error {
            Some(error) => Err(error),
            None => {
                let now = Instant::now();
                (self.tell)(&self.progress.done(&self.work.shared, now));
                Ok(())
            }
        }
    }

    /// Starts the threads; each tells how it ended.
    fn start(&self) -> Result<(UnboundedReceiver<Result<(), LoadError>>, usize), LoadError> {
        let connections = self.work.options.connections;
        let cpus = thread::available_parallelism().map_or(1, usize::from);
        let threads = cpus.min(connections);
        let (ended, ends) = unbounded_channel();
        for first in 0..threads {
            let (ended, work) = (ended.clone(), Arc::clone(self.work));
            thread::Builder::new()
                .name(format!("load {first}"))
                .spawn(move || {
                    // Nobody waits any more when the process ends.
                    let _ = ended.send(drive(&work, (first..connections).step_by(threads)));
                })?;
        }
        Ok((ends, threads))
    }
}

/// The connections of one thread.
fn drive(work: &Arc<Work>, numbers: impl Iterator<Item = usize>) -> Result<(), LoadError> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let local = LocalSet::new();
    let workers: Vec<_> = numbers
        .map(|number| {
            let work = Arc::clone(work);
            local.spawn_local(async move {
                let worker = Worker {
                    number,
                    work: &work,
                };
                let result = match worker::open(&work.connector, work.options.connections).await {
                    Ok(link) => worker.work(link).await,
                    Err(error) => Err(error),
                };
                if result.is_err() {
                    work.shared.stop();
                }
                result
            })
        })
        .collect();
    runtime.block_on(local.run_until(async {
        let mut first = Ok(());
        for worker in workers {
            let result = worker
                .await
                .unwrap_or_else(|error| Err(std::io::Error::other(error).into()));
            if let Err(error) = result
                && first
                    .as_ref()
                    .map_or_else(|first| matches!(first, LoadError::Interrupted), |()| true)
            {
                first = Err(error);
            }
        }
        first
    }))
}
