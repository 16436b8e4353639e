//! Mode server without the extension: a station hands the server its transactions in batches of about a
//! second, and learns afterwards what became of each.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tokio_postgres::Client;
use workload::Input;
use workload::stats::{Retry, Timing};

use super::mode::{Batch, BatchOutcome, Done, Ending, TransactionError};
use super::phase::Schedule;
use super::plan::Pace;
use super::station::{BatchCall, Station, Work, micros};

/// How long a call may begin transactions, so that a run can be stopped and its progress be told.
const CALL: Duration = Duration::from_secs(1);

/// A transaction that waits for its call.
struct Waiting {
    input: Input,
    /// When it is due; none where that is when the one before is done.
    due: Option<Instant>,
}

/// How long a call that starts now may begin transactions: not beyond the end of the ramp-up, so that
/// its figures are either all measured or none of them.
fn call_time(schedule: &Schedule, start: Instant) -> Duration {
    let left = if start < schedule.measured_from {
        schedule.measured_from - start
    } else {
        schedule.end.saturating_duration_since(start)
    };
    CALL.min(left)
}

/// Calls with what waits, each with when it is due after `start`, where that is known.
async fn call_with(
    client: &Client,
    call: &BatchCall,
    waiting: &VecDeque<Waiting>,
    start: Instant,
    time: Duration,
) -> Result<BatchOutcome, tokio_postgres::Error> {
    let due_us = |one: &Waiting| {
        one.due
            .map(|due| micros(due.saturating_duration_since(start)))
    };
    match call {
        BatchCall::Tpcc(call) => {
            let mut batch = Batch::default();
            for one in waiting {
                match (&one.input, due_us(one)) {
                    (Input::Tpcc(input), Some(us)) => batch.push_due(input, us),
                    (Input::Tpcc(input), None) => batch.push(input),
                    (Input::Script(_), _) => {}
                }
            }
            call.call(client, &batch, time).await
        }
        BatchCall::Script(call) => {
            let transactions = waiting.iter().filter_map(|one| match &one.input {
                Input::Script(transaction) => Some((transaction, due_us(one))),
                Input::Tpcc(_) => None,
            });
            let transactions: Vec<_> = transactions.collect();
            call.call(client, &transactions, time).await
        }
    }
}

impl Station {
    /// Hands over batch after batch until the end of the run.
    pub(super) async fn run_batches(&mut self, schedule: &Schedule) {
        let mut waiting = VecDeque::new();
        let mut size = Batch::FIRST;
        let mut next_due_s = self.first_due_s();
        loop {
            if !self.is_connected(schedule).await {
                break;
            }
            let now = Instant::now();
            if now >= schedule.end || self.listener.is_stopping() {
                break;
            }
            match self.plan.pace {
                Pace::Closed => self.fill(&mut waiting, size),
                Pace::Rate { .. } => {
                    let until = now + call_time(schedule, now);
                    self.fill_until(&mut waiting, &mut next_due_s, schedule, until);
                    self.skip_late(&mut waiting, schedule, now);
                }
                Pace::KeyingThinking => {
                    self.think_and_key(&mut waiting, schedule).await;
                }
            }
            if waiting.is_empty() {
                // Nothing is due within the time of a call.
                self.wait_until((now + CALL).min(schedule.end)).await;
                continue;
            }
            let start = Instant::now();
            if start >= schedule.end || self.listener.is_stopping() {
                break;
            }
            let used = self.call(schedule, &mut waiting, start).await;
            size = Batch::next_size(used, start.elapsed());
            self.probe_if_due(Instant::now()).await;
        }
        self.skip_the_rest(waiting, schedule);
    }

    fn fill(&mut self, waiting: &mut VecDeque<Waiting>, size: usize) {
        while waiting.len() < size {
            let input = self.terminal.next_input();
            waiting.push_back(Waiting { input, due: None });
        }
    }

    /// Draws what is due before a moment.
    fn fill_until(
        &mut self,
        waiting: &mut VecDeque<Waiting>,
        next_due_s: &mut f64,
        schedule: &Schedule,
        until: Instant,
    ) {
        loop {
            let due = schedule.epoch + Duration::from_secs_f64(next_due_s.max(0.0));
            if due >= until {
                return;
            }
            let input = self.terminal.next_input();
            waiting.push_back(Waiting {
                input,
                due: Some(due),
            });
            *next_due_s += self.next_gap_s();
        }
    }

    /// Transactions that are beyond the limit before they are begun are not begun.
    fn skip_late(&self, waiting: &mut VecDeque<Waiting>, schedule: &Schedule, now: Instant) {
        let Some(limit) = self.plan.latency_limit else {
            return;
        };
        waiting.retain(|one| {
            let late = one
                .due
                .is_some_and(|due| now.saturating_duration_since(due) > limit);
            if late {
                self.skip(one, schedule);
            }
            !late
        });
    }

    fn skip_the_rest(&self, waiting: VecDeque<Waiting>, schedule: &Schedule) {
        let now = Instant::now().min(schedule.end);
        let due = |one: &&Waiting| one.due.is_some_and(|due| due < now);
        waiting
            .iter()
            .filter(due)
            .for_each(|one| self.skip(one, schedule));
    }

    fn skip(&self, one: &Waiting, schedule: &Schedule) {
        if one.due.is_some_and(|due| due >= schedule.measured_from) {
            let transaction = one.input.kind();
            self.desk.recorder.started(transaction);
            self.desk.recorder.skipped(transaction);
        }
    }

    /// One transaction, after the think time of the one before and its own keying time.
    async fn think_and_key(&mut self, waiting: &mut VecDeque<Waiting>, schedule: &Schedule) {
        if let Some(last) = self.last_type.take() {
            let thought = Instant::now() + self.terminal.think_time(last);
            self.wait_until(thought.min(schedule.end)).await;
        }
        if waiting.is_empty() {
            self.fill(waiting, 1);
        }
        let transaction = waiting[0].input.kind();
        let keyed = Instant::now() + self.terminal.keying_time(transaction);
        self.wait_until(keyed.min(schedule.end)).await;
        self.last_type = Some(transaction);
    }

    /// Calls once with what waits. Gives how many transactions were begun.
    async fn call(
        &mut self,
        schedule: &Schedule,
        waiting: &mut VecDeque<Waiting>,
        start: Instant,
    ) -> usize {
        let time = call_time(schedule, start);
        let Some(open) = &mut self.open else { return 0 };
        let Work::Batches(call) = &open.work else {
            return 0;
        };
        let before = open.link.meter().round_trips();
        let result = open
            .link
            .drive(async |client| call_with(client, call, waiting, start, time).await)
            .await;
        let round_trips = open.link.meter().round_trips() - before;
        self.desk.tally().round_trips += round_trips;
        match result {
            Ok(outcome) => {
                self.take_in(schedule, waiting, start, &outcome);
                outcome.done.len()
            }
            Err(error) => {
                let error = TransactionError::from(error);
                let lost = self.open.as_ref().is_none_or(|o| o.link.is_lost())
                    || error.is_connection_lost();
                // What the call had committed before is not told: at least one transaction failed.
                if let Some(one) = waiting.pop_front() {
                    let transaction = one.input.kind();
                    let measured = one.due.unwrap_or(start) >= schedule.measured_from;
                    if measured {
                        self.desk.recorder.started(transaction);
                    }
                    self.failed(transaction, measured, &Default::default(), &error, lost)
                        .await;
                }
                waiting.clear();
                0
            }
        }
    }

    fn take_in(
        &mut self,
        schedule: &Schedule,
        waiting: &mut VecDeque<Waiting>,
        start: Instant,
        outcome: &BatchOutcome,
    ) {
        let at = |us: u64| start + Duration::from_micros(us);
        let mut all_measured = true;
        for done in &outcome.done {
            let Some(one) = waiting.pop_front() else {
                return;
            };
            let due = one.due.unwrap_or(at(done.begun_us));
            let measured = due >= schedule.measured_from;
            all_measured &= measured;
            self.count_done(done, due, at(done.begun_us), at(done.ended_us), measured);
        }
        let mut tally = self.desk.tally();
        tally.errors.merge(&outcome.errors);
        if all_measured {
            drop(tally);
            for transaction in self.plan.workload().kinds() {
                let index = transaction.index();
                for _ in 0..outcome.retries_serialization[index] {
                    self.desk
                        .recorder
                        .retried(transaction, Retry::Serialization);
                }
                for _ in 0..outcome.retries_deadlock[index] {
                    self.desk.recorder.retried(transaction, Retry::Deadlock);
                }
            }
            self.desk
                .recorder
                .delivery_skipped_districts(outcome.skipped_districts);
        }
    }

    fn count_done(
        &mut self,
        done: &Done,
        due: Instant,
        begun: Instant,
        ended: Instant,
        measured: bool,
    ) {
        let failed = done.ending == Ending::Failed;
        if !failed {
            self.succeeded(ended);
        }
        if !measured {
            let mut tally = self.desk.tally();
            tally.ramp_up.0 += u64::from(!failed);
            tally.ramp_up.1 += u64::from(failed);
            return;
        }
        let recorder = &self.desk.recorder;
        recorder.started(done.transaction);
        let timing = Timing {
            response_us: micros(ended.saturating_duration_since(due)),
            service_us: micros(ended.saturating_duration_since(begun)),
        };
        match done.ending {
            Ending::Committed => recorder.committed(done.transaction, timing),
            Ending::RolledBack => recorder.rolled_back(done.transaction, timing),
            Ending::Failed => return recorder.failed(done.transaction),
        }
        self.figures.transactions += 1;
        self.figures.busy += ended.saturating_duration_since(begun);
        let limit = self.plan.latency_limit.map_or(u64::MAX, micros);
        self.desk.tally().limit_exceeded += u64::from(timing.response_us > limit);
    }
}
