//! The connections of a load: each takes tasks until none is left, and survives the loss of its connection. The
//! server does the work, so that one thread drives them all.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::MissedTickBehavior;
use tokio_postgres::error::SqlState;
use workload::scan::Span;

use super::load::LoadOptions;
use super::progress::Progress;
use crate::connect::{Connector, LIFT_TIMEOUTS, Session};
use crate::load::{LoadError, hold, is_loss, reopen};

/// How long the leader sleeps before it looks again.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What every connection of a load sets for itself. The connections are the parallelism.
const SETTINGS: &str = "SET jit = off; SET max_parallel_workers_per_gather = 0; \
                        SET application_name = 'tpcc scan load'";

/// What a connection does in one go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    /// Makes these rows, and the line that says that they are there.
    Chunk(Span),
    /// Vacuums the table.
    Vacuum,
}

/// The connections and what they share.
pub(super) struct Crew<'a> {
    connector: &'a Connector,
    options: &'a LoadOptions,
    seed: i64,
    tell: &'a dyn Fn(&str),
    tasks: RefCell<VecDeque<Task>>,
    sessions: Vec<RefCell<Option<Rc<Session>>>>,
    stopped: Cell<bool>,
    written: Cell<i64>,
}

impl<'a> Crew<'a> {
    pub(super) fn new(
        connector: &'a Connector,
        options: &'a LoadOptions,
        seed: i64,
        tasks: Vec<Task>,
        tell: &'a dyn Fn(&str),
    ) -> Crew<'a> {
        let connections = options.connections.min(tasks.len());
        Crew {
            connector,
            options,
            seed,
            tell,
            tasks: RefCell::new(tasks.into()),
            sessions: (0..connections).map(|_| RefCell::default()).collect(),
            stopped: Cell::new(false),
            written: Cell::new(0),
        }
    }

    /// Waits until all tasks are done, which make this many rows. The first error ends the others. Gives the rows that
    /// were written.
    pub(super) async fn run(
        &self,
        leader: &mut Session,
        progress: &mut Progress,
        rows: i64,
        mut interrupt: &mut (impl Future<Output = ()> + Unpin),
    ) -> Result<i64, LoadError> {
        let mut crew = join_all(self.sessions.iter().map(|slot| self.work(slot)));
        let mut interrupted = false;
        let mut lost = None;
        let mut tick = tokio::time::interval(LOOK_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let results = loop {
            tokio::select! {
                results = &mut crew => break results,
                () = &mut interrupt, if !interrupted => {
                    interrupted = true;
                    self.stopped.set(true);
                }
                _ = tick.tick() => {
                    if self.stopped.get() {
                        // Again and again: a statement may just have begun when the others were cancelled.
                        self.cancel_all().await;
                    } else if rows > 0 && let Some(line) = progress.look(self.written.get(), rows) {
                        (self.tell)(&line);
                    }
                    if leader.is_closed() && !self.stopped.get() {
                        let again = async || hold(self.connector, &self.options.schema).await;
                        match reopen(|| false, self.options.reconnect_timeout, again).await {
                            Ok(session) => *leader = session,
                            Err(error) => {
                                lost = Some(error);
                                self.stopped.set(true);
                            }
                        }
                    }
                }
            }
        };
        if interrupted {
            return Err(LoadError::Interrupted);
        }
        if let Some(error) = lost {
            return Err(error);
        }
        let mut errors: Vec<_> = results.into_iter().filter_map(Result::err).collect();
        // Who stopped because another failed knows less.
        errors.sort_by_key(|error| matches!(error, LoadError::Interrupted));
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(self.written.get()),
        }
    }

    async fn cancel_all(&self) {
        let sessions: Vec<_> = self
            .sessions
            .iter()
            .filter_map(|slot| slot.borrow().clone())
            .collect();
        for session in sessions {
            // The server may be gone, and nothing is to be cancelled then.
            let _ = session.cancel().await;
        }
    }

    async fn work(&self, slot: &RefCell<Option<Rc<Session>>>) -> Result<(), LoadError> {
        let result = async {
            *slot.borrow_mut() = Some(self.open().await?);
            while !self.stopped.get() {
                let Some(task) = self.tasks.borrow_mut().pop_front() else {
                    break;
                };
                self.finish(slot, task).await?;
            }
            Ok(())
        }
        .await;
        if result.is_err() {
            self.stopped.set(true);
        }
        result
    }

    async fn open(&self) -> Result<Rc<Session>, LoadError> {
        let session = Session::open(self.connector, |_| {}).await?;
        let sql = format!("{SETTINGS}; {LIFT_TIMEOUTS}");
        session.batch_execute(&sql).await?;
        Ok(Rc::new(session))
    }

    /// Does one task, as often as it takes.
    async fn finish(
        &self,
        slot: &RefCell<Option<Rc<Session>>>,
        task: Task,
    ) -> Result<(), LoadError> {
        loop {
            let session = slot.borrow().clone();
            let Some(session) = session else {
                let again = async || self.open().await;
                let timeout = self.options.reconnect_timeout;
                let opened = reopen(|| self.stopped.get(), timeout, again).await?;
                *slot.borrow_mut() = Some(opened);
                continue;
            };
            let error = match self.attempt(&session, task).await {
                Ok(()) => return Ok(()),
                Err(_) if self.stopped.get() => return Err(LoadError::Interrupted),
                Err(error) => error,
            };
            if is_loss(&error) || session.is_closed() {
                let reason = error
                    .as_db_error()
                    .map_or(error.to_string(), |db| db.message().to_owned());
                (self.tell)(&format!(
                    "a connection was lost ({reason}); connecting again"
                ));
                slot.borrow_mut().take();
            } else if error.code() == Some(&SqlState::UNIQUE_VIOLATION) {
                // The server process of a connection that was lost has committed these rows behind our back.
                session.batch_execute("ROLLBACK").await?;
                return Ok(());
            } else {
                return Err(error.into());
            }
        }
    }

    async fn attempt(&self, session: &Session, task: Task) -> Result<(), tokio_postgres::Error> {
        let quoted = &self.options.quoted;
        let Task::Chunk(span) = task else {
            for sql in [
                include_str!("../../../sql/scan/vacuum.sql"),
                include_str!("../../../sql/scan/vacuumed.sql"),
            ] {
                session
                    .batch_execute(&sql.replace("{schema}", quoted))
                    .await?;
            }
            return Ok(());
        };
        let sql = include_str!("../../../sql/scan/chunk.sql")
            .replace("{first}", &span.first.to_string())
            .replace("{last}", &span.last.to_string())
            .replace("{seed}", &format!("({})::bigint", self.seed))
            .replace("{schema}", quoted);
        session.batch_execute(&sql).await?;
        self.written.set(self.written.get() + span.rows());
        Ok(())
    }
}
