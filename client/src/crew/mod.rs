//! The connections of a load: each takes tasks until none is left, and survives the loss of its connection.
//!
//! What a task is and how it is done is the workload's own ([`Work`]); a leader's session holds the schema's lock
//! meanwhile. One thread drives them all.

mod copy;
mod error;
mod lock;
mod loss;
mod progress;
mod rows;
mod step;
mod tables;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::MissedTickBehavior;
use tokio_postgres::Error;

use crate::connect::{Connector, LIFT_TIMEOUTS, Session};
use progress::Progress;

pub(crate) use copy::{Budget, copy};
pub use error::LoadError;
pub(crate) use lock::{hold, lock_schema};
pub(crate) use loss::{Losses, is_loss, is_there_already, reopen};
pub(crate) use rows::chunks;
pub(crate) use step::Step;
pub(crate) use tables::EMPTIED;
pub use tables::TablesError;

/// How long the leader sleeps before it looks again.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What the tasks of a load are.
pub(crate) trait Work {
    /// What a connection does in one go.
    type Task;

    /// What every connection sets for itself; none needs a right.
    fn settings(&self) -> &str;

    /// Does a task once, and counts the rows that it writes.
    ///
    /// # Errors
    /// What the server says; nothing of it is there then, unless the loss of the connection hides the contrary.
    async fn attempt(
        &self,
        session: &Session,
        task: &Self::Task,
        count: &Count<'_>,
    ) -> Result<(), Error>;

    /// Whether a task is done, by whomever: it is asked after a loss, and where something was there already.
    ///
    /// # Errors
    /// What the server says.
    async fn is_done(&self, session: &Session, task: &Self::Task) -> Result<bool, Error>;
}

/// How a load is done, whatever it loads.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The schema's name.
    pub schema: String,
    /// Connections that write.
    pub connections: usize,
    /// How long a lost connection is tried again.
    pub reconnect_timeout: Duration,
    /// Time between two lines of progress.
    pub report_every: Duration,
}

/// Counts the rows of one attempt.
pub(crate) struct Count<'a> {
    all: &'a Cell<u64>,
    here: Cell<u64>,
    stopped: &'a Cell<bool>,
}

impl Count<'_> {
    /// Whether the load is to stop.
    fn is_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Counts rows that were sent.
    pub(crate) fn add(&self, rows: u64) {
        self.all.set(self.all.get() + rows);
        self.here.set(self.here.get() + rows);
    }

    fn take_back(&self) {
        self.all.set(self.all.get() - self.here.take());
    }
}

/// The connections and what they share.
pub(crate) struct Crew<'a, W> {
    connector: &'a Connector,
    terms: &'a Terms,
    work: &'a W,
    tell: &'a dyn Fn(&str),
    sessions: Vec<RefCell<Option<Rc<Session>>>>,
    stopped: Cell<bool>,
    written: Cell<u64>,
}

impl<'a, W: Work> Crew<'a, W> {
    /// A crew without connections yet; `tell` gets a line at a time.
    pub(crate) fn new(
        connector: &'a Connector,
        terms: &'a Terms,
        work: &'a W,
        tell: &'a dyn Fn(&str),
    ) -> Crew<'a, W> {
        Crew {
            connector,
            terms,
            work,
            tell,
            sessions: (0..terms.connections).map(|_| RefCell::default()).collect(),
            stopped: Cell::new(false),
            written: Cell::new(0),
        }
    }

    /// Waits until all tasks are done, which write this many rows of `what`. The first error ends the others. Gives
    /// the rows that were written.
    ///
    /// # Errors
    /// [`LoadError`]; of the tasks each is done or not.
    pub(crate) async fn run(
        &self,
        leader: &mut Session,
        tasks: impl IntoIterator<Item = W::Task>,
        (rows, what): (u64, &str),
        mut interrupt: &mut (impl Future<Output = ()> + Unpin),
    ) -> Result<u64, LoadError> {
        self.written.set(0);
        let tasks = RefCell::new(VecDeque::from_iter(tasks));
        let connections = self.sessions.len().min(tasks.borrow().len());
        let slots = &self.sessions[..connections];
        let mut crew = join_all(slots.iter().map(|slot| self.work_off(slot, &tasks)));
        let mut progress = Progress::new(self.terms.report_every, what, rows);
        let mut ended_by = None;
        let mut tick = tokio::time::interval(LOOK_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let results = loop {
            tokio::select! {
                results = &mut crew => break results,
                () = &mut interrupt, if ended_by.is_none() => {
                    ended_by = Some(LoadError::Interrupted);
                    self.stopped.set(true);
                }
                _ = tick.tick() => {
                    if self.stopped.get() {
                        // Again and again: a statement may just have begun when the others were cancelled.
                        self.cancel_all().await;
                    } else if rows > 0 && let Some(line) = progress.look(self.written.get()) {
                        (self.tell)(&line);
                    }
                    if leader.is_closed() && !self.stopped.get() {
                        let again = async || hold(self.connector, &self.terms.schema).await;
                        match reopen(|| false, self.terms.reconnect_timeout, again).await {
                            Ok(session) => *leader = session,
                            Err(error) => {
                                ended_by = Some(error);
                                self.stopped.set(true);
                            }
                        }
                    }
                }
            }
        };
        if let Some(error) = ended_by {
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
        let slots = self.sessions.iter();
        let sessions: Vec<_> = slots.filter_map(|slot| slot.borrow().clone()).collect();
        for session in sessions {
            // The server may be gone, and nothing is to be cancelled then.
            let _ = session.cancel().await;
        }
    }

    async fn work_off(
        &self,
        slot: &RefCell<Option<Rc<Session>>>,
        tasks: &RefCell<VecDeque<W::Task>>,
    ) -> Result<(), LoadError> {
        let result = async {
            if slot.borrow().is_none() {
                let opened = self.open().await?;
                *slot.borrow_mut() = Some(opened);
            }
            while !self.stopped.get() {
                let Some(task) = tasks.borrow_mut().pop_front() else {
                    break;
                };
                self.finish(slot, &task).await?;
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
        let sql = format!("{}; {LIFT_TIMEOUTS}", self.work.settings());
        session.batch_execute(&sql).await?;
        Ok(Rc::new(session))
    }

    /// Does one task, as often as it takes.
    async fn finish(
        &self,
        slot: &RefCell<Option<Rc<Session>>>,
        task: &W::Task,
    ) -> Result<(), LoadError> {
        let mut losses = Losses::new(self.terms.reconnect_timeout);
        let mut in_doubt = false;
        loop {
            let session = slot.borrow().clone();
            let session = match session {
                Some(session) => session,
                None => {
                    let again = async || self.open().await;
                    let timeout = self.terms.reconnect_timeout;
                    let opened = reopen(|| self.stopped.get(), timeout, again).await?;
                    slot.borrow_mut().insert(opened).clone()
                }
            };
            let count = Count {
                all: &self.written,
                here: Cell::new(0),
                stopped: &self.stopped,
            };
            let result = async {
                if in_doubt && self.work.is_done(&session, task).await? {
                    return Ok(());
                }
                self.work.attempt(&session, task, &count).await
            };
            let error = match result.await {
                Ok(()) => return Ok(()),
                Err(_) if self.stopped.get() => return Err(LoadError::Interrupted),
                Err(error) => error,
            };
            if is_loss(&error) || session.is_closed() {
                count.take_back();
                let reason = loss::reason(&error);
                (self.tell)(&format!(
                    "a connection was lost ({reason}); connecting again"
                ));
                slot.borrow_mut().take();
                losses.count(&error)?;
                in_doubt = true;
            } else if is_there_already(&error) {
                // The server process of a connection that was lost may have come to its end behind our back.
                session.batch_execute("ROLLBACK").await?;
                return match self.work.is_done(&session, task).await? {
                    true => Ok(()),
                    false => Err(error.into()),
                };
            } else {
                return Err(error.into());
            }
        }
    }
}
