//! A terminal: a background worker that does one transaction after another.

use std::ffi::CStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use workload::result::RunConfig;
use workload::retry;
use workload::stats::{Retry, Timing};
use workload::tpcc::{self, Rng, Stream, TerminalConfig};
use workload::{Input, Kind, Terminal};

use super::board::RunBoard;
use super::clock::RunClock;
use super::options::parse;
use super::script::{self, ScriptSession};
use crate::pg::crew::{Job, Worker};
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::xact::{self, Activity, End};
use crate::pg::{latch, settings};
use crate::txn::{Outcome, Session};

/// Waits longer than this show as idle in pg_stat_activity.
const IDLE_FROM: Duration = Duration::from_millis(5);

/// What the leader tells the terminals.
#[derive(Clone, Serialize, Deserialize)]
pub struct RunArguments {
    /// The run as it will stand in the result document.
    pub config: RunConfig,
}

impl RunArguments {
    /// When the figures begin, in microseconds of the run's clock.
    pub fn ramp_up_us(&self) -> i64 {
        (self.config.ramp_up_s * 1e6) as i64
    }

    /// When no transaction is begun any more, in microseconds of the run's clock.
    pub fn end_us(&self) -> i64 {
        ((self.config.ramp_up_s + self.config.duration_s) * 1e6) as i64
    }
}

/// `tpcc_run`'s job.
pub struct RunJob;

impl Job for RunJob {
    const NAME: &'static str = "run";
    const ENTRY: &'static CStr = c"pg_tpcc_run_worker";
    type Arguments = RunArguments;
    type Shared = RunBoard;

    fn work(worker: &Worker<Self>) -> Result<()> {
        let config = &worker.arguments().config;
        let session = xact::transaction(|| {
            settings::apply(&[(
                "default_transaction_isolation".to_owned(),
                config.isolation.clone(),
            )])?;
            Work::open(config)
        })?;
        let mut at = Station::new(worker, session)?;
        worker.ready();
        let Some(clock) = start(worker) else {
            return Ok(());
        };
        at.clock = clock;
        match config.rate {
            Some(rate) => at.keep_schedule(rate / worker.workers() as f64)?,
            None => at.go_round(config.keying_thinking)?,
        }
        xact::report_statistics(true)
    }
}

/// Waits for the start of the run; none when it is stopped before.
fn start(worker: &Worker<RunJob>) -> Option<RunClock> {
    loop {
        if worker.should_stop() {
            return None;
        }
        if let Some(epoch) = worker.shared().epoch() {
            return Some(RunClock::new(epoch));
        }
        worker.pause(Duration::from_millis(50));
    }
}

/// The transactions of a workload, ready to execute.
enum Work {
    Tpcc(Session),
    Script(ScriptSession),
}

impl Work {
    fn open(config: &RunConfig) -> Result<Work> {
        Ok(match script::of(config) {
            Some(script) => Work::Script(ScriptSession::open(script, &config.schema)?),
            None => Work::Tpcc(Session::open(&config.schema)?),
        })
    }

    fn execute(&self, input: &Input) -> Result<Outcome> {
        match (self, input) {
            (Work::Tpcc(session), Input::Tpcc(input)) => session.execute(input),
            (Work::Script(session), Input::Script(transaction)) => session.execute(transaction),
            _ => Err(ServerError::new(
                SqlState::INTERNAL,
                "a terminal and its session are of two workloads",
            )),
        }
    }
}

/// The terminal of a worker, and where it is at home.
fn terminal(config: &RunConfig, number: u32, workers: u32) -> Result<(Terminal, String)> {
    if let Some(script) = script::of(config) {
        let terminal = Terminal::Script(script.terminal(config.seed, number, workers));
        return Ok((terminal, script.size()));
    }
    let Some(tpcc) = &config.tpcc else {
        return Err(ServerError::new(
            SqlState::INTERNAL,
            format!(
                "the workload {} is not known to this worker",
                config.workload
            ),
        ));
    };
    let terminal = tpcc::Terminal::new(&TerminalConfig {
        seed: config.seed,
        terminal: number,
        terminals: workers,
        warehouses: tpcc.warehouses as i32,
        constants: tpcc.constants,
        mix: parse(&config.mix)?,
        home: tpcc.home_warehouse,
    });
    let place = match terminal.home_warehouse() {
        Some(w_id) => format!("warehouse {w_id}"),
        None => format!("warehouses 1 to {}", tpcc.warehouses),
    };
    Ok((Terminal::Tpcc(terminal), place))
}

/// A terminal at its place.
struct Station<'a> {
    worker: &'a Worker<RunJob>,
    board: &'a RunBoard,
    session: Work,
    terminal: Terminal,
    /// For arrivals and pauses, so that they do not change the transactions of a seed.
    rng: Rng,
    clock: RunClock,
    ramp_up_us: i64,
    end_us: i64,
    next_chore_us: i64,
    failures_in_a_row: u32,
    text: String,
}

impl<'a> Station<'a> {
    fn new(worker: &'a Worker<RunJob>, session: Work) -> Result<Self> {
        let config = &worker.arguments().config;
        let (number, workers) = (worker.index() as u32, worker.workers() as u32);
        let (terminal, place) = terminal(config, number, workers)?;
        let text = format!(
            "{}_run worker {} of {}: schema {}, {place}",
            config.workload,
            worker.index() + 1,
            worker.workers(),
            config.schema
        );
        xact::report_activity(Activity::Running(&text));
        Ok(Self {
            worker,
            board: worker.shared(),
            session,
            terminal,
            rng: Rng::keyed(config.seed, Stream::Caller, worker.index() as u64),
            clock: RunClock::new(0),
            ramp_up_us: worker.arguments().ramp_up_us(),
            end_us: worker.arguments().end_us(),
            next_chore_us: 0,
            failures_in_a_row: 0,
            text,
        })
    }

    /// One transaction after the other, each due when the one before is done (and its output
    /// read and the next input keyed in, if terminals wait for that).
    fn go_round(&mut self, keying_thinking: bool) -> Result<()> {
        while !self.worker.should_stop() {
            let input = self.terminal.next_input();
            let transaction = input.kind();
            if keying_thinking {
                let keyed_us =
                    self.clock.now_us() + self.terminal.keying_time(transaction).as_micros() as i64;
                self.wait_until(keyed_us.min(self.end_us))?;
            }
            let due_us = self.clock.now_us();
            if due_us >= self.end_us || self.worker.should_stop() {
                break;
            }
            let ended_us = self.one(transaction, &input, due_us, due_us)?;
            self.chores(ended_us)?;
            if keying_thinking {
                let thought_us =
                    ended_us + self.terminal.think_time(transaction).as_micros() as i64;
                self.wait_until(thought_us.min(self.end_us))?;
            }
        }
        Ok(())
    }

    /// Transactions are due at random moments, `rate` a second on average (a Poisson process).
    /// A terminal that falls behind keeps the schedule: its transactions are late, and their
    /// response times say so. Those that were due and not begun at the end count as skipped.
    fn keep_schedule(&mut self, rate: f64) -> Result<()> {
        let mean_us = 1e6 / rate;
        let mut due = 0.0;
        loop {
            due -= mean_us * self.rng.unit().ln();
            let due_us = due as i64;
            let input = self.terminal.next_input();
            let transaction = input.kind();
            if due_us < self.end_us {
                self.wait_until(due_us)?;
            }
            let now_us = self.clock.now_us();
            if due_us >= self.end_us || now_us >= self.end_us || self.worker.should_stop() {
                return self.skip_the_rest(transaction, due, mean_us, now_us.min(self.end_us));
            }
            let ended_us = self.one(transaction, &input, due_us, now_us)?;
            self.chores(ended_us)?;
        }
    }

    fn skip_the_rest(
        &mut self,
        mut transaction: Kind,
        mut due: f64,
        mean_us: f64,
        now_us: i64,
    ) -> Result<()> {
        while (due as i64) < now_us {
            if due as i64 >= self.ramp_up_us {
                self.board.recorder.started(transaction);
                self.board.recorder.skipped(transaction);
            }
            due -= mean_us * self.rng.unit().ln();
            transaction = self.terminal.next_input().kind();
        }
        Ok(())
    }

    /// One transaction with all its tries. Gives the time when it was over.
    fn one(&mut self, transaction: Kind, input: &Input, due_us: i64, begun_us: i64) -> Result<i64> {
        let recorder = &self.board.recorder;
        let measured = due_us >= self.ramp_up_us;
        if measured {
            recorder.started(transaction);
        }
        let mut tries = 1;
        loop {
            let result = self.attempt(input);
            let ended_us = self.clock.now_us();
            let error = match result {
                Ok(outcome) => {
                    self.failures_in_a_row = 0;
                    if measured {
                        let timing = Timing {
                            response_us: (ended_us - due_us).max(0) as u64,
                            service_us: (ended_us - begun_us).max(0) as u64,
                        };
                        self.count(transaction, outcome, timing);
                    } else {
                        self.board.count_ramp_up(true);
                    }
                    return Ok(ended_us);
                }
                Err(error) => error,
            };
            match Retry::of(&error.sqlstate.0, transaction) {
                Some(retry) if tries < retry::MAX_TRIES => {
                    if measured {
                        recorder.retried(transaction, retry);
                    }
                    self.back_off(tries);
                    tries += 1;
                }
                _ => {
                    self.fail(transaction, measured, &error)?;
                    return Ok(ended_us);
                }
            }
        }
    }

    fn attempt(&self, input: &Input) -> Result<Outcome> {
        xact::transaction_ending(|| {
            Ok(match self.session.execute(input)? {
                Outcome::RolledBack => End::RollBack(Outcome::RolledBack),
                done => End::Commit(done),
            })
        })
    }

    fn count(&self, transaction: Kind, outcome: Outcome, timing: Timing) {
        let recorder = &self.board.recorder;
        match outcome {
            Outcome::RolledBack => recorder.rolled_back(transaction, timing),
            Outcome::Done { skipped_districts } => {
                recorder.committed(transaction, timing);
                if skipped_districts > 0 {
                    recorder.delivery_skipped_districts(u64::from(skipped_districts));
                }
            }
        }
    }

    /// Counts a failure, and slows a terminal down that meets nothing else.
    fn fail(&mut self, transaction: Kind, measured: bool, error: &ServerError) -> Result<()> {
        latch::check_between_transactions();
        self.board.errors.record(error);
        if measured {
            self.board.recorder.failed(transaction);
        } else {
            self.board.count_ramp_up(false);
        }
        self.failures_in_a_row += 1;
        if self.failures_in_a_row > 10 {
            self.back_off(self.failures_in_a_row - 10);
        }
        Ok(())
    }

    fn back_off(&mut self, tries: u32) {
        let pause = retry::pause(tries, &mut self.rng);
        if pause < Duration::from_millis(1) {
            std::thread::sleep(pause);
        } else {
            // Also when the run is over: a transaction under way is brought to its end.
            latch::wait_between_transactions(pause);
        }
    }

    /// Waits until then, or until the run is stopped.
    fn wait_until(&mut self, us: i64) -> Result<()> {
        if self.clock.until(us) > IDLE_FROM {
            self.chores(self.clock.now_us())?;
            xact::report_activity(Activity::Idle);
            // The latch wakes up to a millisecond late, so the rest is slept.
            while self.clock.until(us) > Duration::from_millis(1) && !self.worker.should_stop() {
                let most = self.clock.until(us) - Duration::from_millis(1);
                self.worker.pause(most.min(Duration::from_secs(1)));
                self.chores(self.clock.now_us())?;
            }
            xact::report_activity(Activity::Running(&self.text));
        }
        while !self.worker.should_stop() {
            let left = self.clock.until(us);
            if left.is_zero() {
                break;
            }
            std::thread::sleep(left.min(Duration::from_millis(1)));
        }
        Ok(())
    }

    /// What a backend does between statements, about once a second.
    fn chores(&mut self, now_us: i64) -> Result<()> {
        latch::check_between_transactions();
        if now_us < self.next_chore_us {
            return Ok(());
        }
        self.next_chore_us = now_us + 1_000_000;
        xact::report_statistics(false)?;
        xact::reload_settings_if_asked()
    }
}
