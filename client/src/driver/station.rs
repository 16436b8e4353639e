//! One connection with its terminal: it does one transaction after another, keeps its schedule, tries
//! again what met a conflict, and opens its [`connection`] again when that is lost.

mod connection;

use std::sync::Arc;
use std::time::{Duration, Instant};

use workload::result::Mode;
use workload::retry::{MAX_TRIES, pause};
use workload::stats::{PartTimes, Retry, Timing};
use workload::tpcc::{Rng, Stream};
use workload::{Input, Kind, Terminal};

use super::desk::{Desk, StationFigures};
use super::mode::{Outcome, Seen, TransactionError};
use super::phase::{Listener, Schedule};
use super::plan::{Arrivals, Pace, Plan};
use crate::wire::Timer;

pub use connection::StationError;
pub(super) use connection::{BatchCall, Open, Work};

/// A terminal that meets nothing but errors slows down after so many.
const FAILURES_WITHOUT_PAUSE: u32 = 10;

/// connection_failure.
const CONNECTION_FAILURE: &str = "08006";

/// One connection with its terminal.
pub struct Station {
    pub(super) plan: Arc<Plan>,
    pub(super) desk: Arc<Desk>,
    pub(super) listener: Listener,
    number: u32,
    pub(super) open: Option<Open>,
    pub(super) terminal: Terminal,
    /// For arrivals and pauses, so that they do not change the transactions of a seed.
    rng: Rng,
    timer: Timer,
    pub(super) figures: StationFigures,
    last_success: Instant,
    /// The loss that no success has ended yet, by its place on the desk.
    pending_loss: Option<usize>,
    failures_in_a_row: u32,
    /// The type of the last transaction, whose think time is still to come.
    pub(super) last_type: Option<Kind>,
}

impl Station {
    /// Connects, prepares, and measures the first round trips.
    ///
    /// # Errors
    /// What hinders that.
    pub async fn open(
        plan: Arc<Plan>,
        desk: Arc<Desk>,
        listener: Listener,
        number: u32,
    ) -> Result<Station, StationError> {
        let mut station = Station {
            rng: Rng::keyed(plan.seed, Stream::Caller, u64::from(number)),
            terminal: plan.terminal(number),
            plan,
            desk,
            listener,
            number,
            open: None,
            timer: Timer::new(),
            figures: StationFigures::default(),
            last_success: Instant::now(),
            pending_loss: None,
            failures_in_a_row: 0,
            last_type: None,
        };
        station.connect().await?;
        Ok(station)
    }

    /// Runs from the start to the end of the run.
    pub async fn run(mut self) {
        if let Some(schedule) = self.listener.start().await {
            self.last_success = Instant::now();
            match self.plan.pace {
                _ if self.plan.mode == Mode::Server => self.run_batches(&schedule).await,
                Pace::Rate { .. } => self.keep_schedule(&schedule).await,
                Pace::Closed => self.go_round(&schedule, false).await,
                Pace::KeyingThinking => self.go_round(&schedule, true).await,
            }
        }
        self.desk.tally().stations.push(self.figures);
        self.close().await;
    }

    /// One transaction after the other, each due when the one before is done (and its output read and the
    /// next input keyed in, where terminals wait for that).
    async fn go_round(&mut self, schedule: &Schedule, keying_thinking: bool) {
        loop {
            let input = self.terminal.next_input();
            let transaction = input.kind();
            if keying_thinking {
                let keyed = Instant::now() + self.terminal.keying_time(transaction);
                self.wait_until(keyed.min(schedule.end)).await;
            }
            if !self.is_connected(schedule).await {
                break;
            }
            let due = Instant::now();
            if due >= schedule.end || self.listener.is_stopping() {
                break;
            }
            let ended = self.one(schedule, transaction, &input, due, due).await;
            if keying_thinking {
                let thought = ended + self.terminal.think_time(transaction);
                self.wait_until(thought.min(schedule.end)).await;
            }
        }
    }

    /// Transactions are due at moments that do not depend on how the ones before went. A station that
    /// falls behind keeps the schedule: its transactions are late, and their response times say so. Those
    /// that were due and not begun count as skipped.
    async fn keep_schedule(&mut self, schedule: &Schedule) {
        let mut due_s = self.first_due_s();
        loop {
            let due = schedule.epoch + Duration::from_secs_f64(due_s.max(0.0));
            due_s += self.next_gap_s();
            if due >= schedule.end {
                return;
            }
            let input = self.terminal.next_input();
            let transaction = input.kind();
            self.wait_until(due).await;
            let connected = self.is_connected(schedule).await;
            let begun = Instant::now();
            if due > begun {
                // Stopped while it waited: not due any more.
                return;
            }
            let too_late = self
                .plan
                .latency_limit
                .is_some_and(|limit| begun.duration_since(due) > limit);
            if !connected || begun >= schedule.end || self.listener.is_stopping() || too_late {
                if due >= schedule.measured_from {
                    self.desk.recorder.started(transaction);
                    self.desk.recorder.skipped(transaction);
                }
                continue;
            }
            self.one(schedule, transaction, &input, due, begun).await;
        }
    }

    /// How many seconds after the start the first transaction is due.
    pub(super) fn first_due_s(&mut self) -> f64 {
        match self.plan.pace {
            // Equal distances over all connections together.
            Pace::Rate {
                per_second,
                arrivals: Arrivals::Fixed,
            } => f64::from(self.number) / per_second,
            _ => self.next_gap_s(),
        }
    }

    /// How many seconds the next transaction is due after the one before.
    pub(super) fn next_gap_s(&mut self) -> f64 {
        let Pace::Rate {
            per_second,
            arrivals,
        } = self.plan.pace
        else {
            return 0.0;
        };
        let mean_s = f64::from(self.plan.connections) / per_second;
        match arrivals {
            Arrivals::Poisson => -mean_s * self.rng.unit().ln(),
            Arrivals::Fixed => mean_s,
        }
    }

    /// One transaction with all its tries. Gives the moment when it was over.
    async fn one(
        &mut self,
        schedule: &Schedule,
        transaction: Kind,
        input: &Input,
        due: Instant,
        begun: Instant,
    ) -> Instant {
        let measured = due >= schedule.measured_from;
        let desk = Arc::clone(&self.desk);
        if measured {
            desk.recorder.started(transaction);
        }
        let mut seen = Seen::default();
        let mut round_trips = 0;
        let mut tries = 1;
        loop {
            let Some(open) = &mut self.open else {
                return Instant::now();
            };
            let Open { link, work, .. } = open;
            let Work::Each(executor) = work else {
                return Instant::now();
            };
            let before = link.meter().round_trips();
            let result = link
                .drive(async |client| executor.execute(client, input, &mut seen).await)
                .await;
            let ended = Instant::now();
            round_trips += link.meter().round_trips() - before;
            let error = match result {
                Ok(outcome) => {
                    self.succeeded(ended);
                    if measured {
                        self.count(transaction, outcome, seen, round_trips, due, begun, ended);
                    } else {
                        desk.tally().ramp_up.0 += 1;
                    }
                    self.probe_if_due(ended).await;
                    return ended;
                }
                Err(error) => error,
            };
            let lost = link.is_lost() || error.is_connection_lost();
            match Retry::of(error.sqlstate().unwrap_or_default().as_bytes(), transaction) {
                Some(retry) if !lost && tries < MAX_TRIES => {
                    if measured {
                        desk.recorder.retried(transaction, retry);
                    }
                    let until = Instant::now() + pause(tries, &mut self.rng);
                    self.rest_until(until).await;
                    tries += 1;
                }
                _ => {
                    self.failed(transaction, measured, &seen, &error, lost)
                        .await;
                    return ended;
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn count(
        &mut self,
        transaction: Kind,
        outcome: Outcome,
        seen: Seen,
        round_trips: u64,
        due: Instant,
        begun: Instant,
        ended: Instant,
    ) {
        let timing = Timing {
            response_us: micros(ended.saturating_duration_since(due)),
            service_us: micros(ended.saturating_duration_since(begun)),
        };
        let recorder = &self.desk.recorder;
        match outcome {
            Outcome::RolledBack => recorder.rolled_back(transaction, timing),
            Outcome::Committed { skipped_districts } => {
                recorder.committed(transaction, timing);
                if skipped_districts > 0 {
                    recorder.delivery_skipped_districts(u64::from(skipped_districts));
                }
            }
        }
        self.figures.transactions += 1;
        self.figures.busy += ended.saturating_duration_since(begun);
        let round_trip_us = self.open.as_ref().map_or(0.0, |o| o.round_trip.length_us());
        let times = PartTimes::of(
            timing.service_us,
            seen.server_us,
            round_trips,
            round_trip_us,
        );
        let limit = self.plan.latency_limit.map_or(u64::MAX, micros);
        let mut tally = self.desk.tally();
        tally.took(transaction, times, round_trips);
        tally.round_trips += round_trips;
        tally.statements.merge(&seen.statements());
        tally.limit_exceeded += u64::from(timing.response_us > limit);
    }

    pub(super) fn succeeded(&mut self, ended: Instant) {
        self.last_success = ended;
        self.failures_in_a_row = 0;
        if let Some(place) = self.pending_loss.take() {
            self.desk.tally().losses[place].to = Some(ended);
        }
    }

    /// Counts a failure, and slows a terminal down that meets nothing else.
    pub(super) async fn failed(
        &mut self,
        transaction: Kind,
        measured: bool,
        seen: &Seen,
        error: &TransactionError,
        lost: bool,
    ) {
        if measured {
            self.desk.recorder.failed(transaction);
        }
        if lost {
            self.lose(Some(error));
        }
        self.tell_failure(measured, seen, error);
        self.failures_in_a_row += 1;
        if !lost && self.failures_in_a_row > FAILURES_WITHOUT_PAUSE {
            let tries = self.failures_in_a_row - FAILURES_WITHOUT_PAUSE;
            let until = Instant::now() + pause(tries, &mut self.rng);
            self.rest_until(until).await;
        }
    }

    fn tell_failure(&self, measured: bool, seen: &Seen, error: &TransactionError) {
        let mut tally = self.desk.tally();
        if measured {
            tally.statements.merge(&seen.statements());
        } else {
            tally.ramp_up.1 += 1;
        }
        tally.errors.record(sqlstate_of(error), &error.message());
    }

    /// Waits until then, or until the run is stopped.
    pub(super) async fn wait_until(&mut self, moment: Instant) {
        if Instant::now() >= moment {
            return;
        }
        let (timer, listener) = (&mut self.timer, &mut self.listener);
        let wait = async {
            tokio::select! {
                _ = timer.until(moment) => {}
                () = listener.stopping() => {}
            }
        };
        match &mut self.open {
            // Whatever the server says meanwhile is taken in, as that it goes away.
            Some(open) => open.link.drive(async |_| wait.await).await,
            None => wait.await,
        }
    }

    /// Waits until then, also when the run is over: a transaction under way is brought to its end.
    async fn rest_until(&mut self, moment: Instant) {
        // A process that may open no more files waits a little longer.
        if self.timer.until(moment).await.is_err() {
            tokio::time::sleep_until(moment.into()).await;
        }
    }
}

/// The SQLSTATE of an error; connection_failure where the connection went away without a word.
fn sqlstate_of(error: &TransactionError) -> &str {
    error.sqlstate().unwrap_or(CONNECTION_FAILURE)
}

pub(super) fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}
