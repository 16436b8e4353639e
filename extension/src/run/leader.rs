//! The session that called `tpcc_run`: it starts the terminals, waits, and tells what came of it.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use workload::result::{RunConfig, SeriesPoint, TpccConfig};
use workload::retry::MAX_TRIES;
use workload::stats::Snapshot;
use workload::tpcc::NurandConstants;
use workload::{Workload, counted};

use super::board::RunBoard;
use super::clock::{RunClock, unix_us};
use super::options::{Options, Task};
use super::outcome::{self, Figures, Measured};
use super::progress::Progress;
use super::worker::{RunArguments, RunJob};
use super::{registry, schema};
use crate::load::lock;
use crate::pg::crew::{self, Crew};
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::latch;
use crate::pg::snapshot::Unpinned;

/// How long a transaction that is under way at the end of the run may still take.
const GRACE: Duration = Duration::from_secs(10);
/// When so many transactions were tried and none went well, the run is given up.
const HOPELESS_FAILURES: u64 = 20;

/// Runs, and keeps the result document in the schema.
///
/// # Errors
/// What is wrong with the options, the data or the server, before anything starts; 53400 when
/// there are too few worker slots; and while it runs what ended a terminal, or what every
/// transaction failed with.
pub fn run(options: Options) -> Result<Figures> {
    let options = options.checked()?;
    let workload = options.task.workload();
    let unpinned = Unpinned::begin(&format!("SELECT * FROM {}_run(...)", workload.name))?;
    let found = look(&options)?;
    lock::share(&options.schema)?;
    let workers = options.workers.unwrap_or_else(default_workers);
    let seed = options.seed.unwrap_or_else(any_seed);
    let (mix, tpcc, parameters) = found.config(&options.task, seed);
    let config = RunConfig {
        workload: workload.name.to_owned(),
        schema: options.schema,
        workers: workers as u32,
        threads: None,
        duration_s: options.duration_s,
        ramp_up_s: options.ramp_up_s,
        mix,
        rate: options.rate,
        keying_thinking: options.keying_thinking,
        isolation: options.isolation,
        max_tries: MAX_TRIES,
        report_interval_s: options.report_interval_s,
        seed,
        load_seed: found.tpcc.as_ref().map(|data| data.load_seed),
        tpcc,
        parameters,
    };
    if !found.may_keep_result {
        pgrx::warning!(
            "the result will not be kept: the current role may not insert into {}.tpcc_results",
            found.quoted
        );
    }
    let arguments = RunArguments { config };
    let crew = Crew::<RunJob>::create(workers, &arguments)?;
    registry::announce(crew.handle())?;
    crew.launch()?;
    pgrx::notice!(
        "{} on {} of schema \"{}\", seed {seed}",
        counted(workers, "worker"),
        found.size,
        arguments.config.schema
    );
    let measured = conduct(&crew, &arguments, &unpinned)?;
    crew.detach();
    outcome::conclude(
        arguments.config,
        measured,
        found.may_keep_result.then_some(&found.quoted),
    )
}

/// What was found in the schema.
struct Found {
    quoted: String,
    may_keep_result: bool,
    /// How much there is, for people.
    size: String,
    tpcc: Option<schema::Data>,
}

fn look(options: &Options) -> Result<Found> {
    Ok(match &options.task {
        Task::Tpcc { .. } => {
            let data = schema::inspect(&options.schema)?;
            Found {
                quoted: data.quoted.clone(),
                may_keep_result: data.may_keep_result,
                size: counted(data.warehouses, "warehouse"),
                tpcc: Some(data),
            }
        }
        Task::Script(script) => {
            let (quoted, may_keep_result) = schema::results(&options.schema)?;
            Found {
                quoted,
                may_keep_result,
                size: script.size(),
                tpcc: None,
            }
        }
    })
}

type Knobs = (
    String,
    Option<TpccConfig>,
    BTreeMap<String, serde_json::Value>,
);

impl Found {
    /// The mix, and what the workload alone has.
    fn config(&self, task: &Task, seed: i64) -> Knobs {
        match (task, &self.tpcc) {
            (Task::Script(script), _) => (script.mix(), None, script.parameters()),
            (
                Task::Tpcc {
                    mix,
                    home_warehouse,
                },
                data,
            ) => {
                let tpcc = data.as_ref().map(|data| TpccConfig {
                    warehouses: data.warehouses as u32,
                    home_warehouse: *home_warehouse,
                    constants: NurandConstants::run(seed, data.c_last_load),
                    c_last_load: data.c_last_load,
                });
                (mix.to_string(), tpcc, BTreeMap::new())
            }
        }
    }
}

/// Keeps time, from the first terminal to the last.
fn conduct(crew: &Crew<RunJob>, arguments: &RunArguments, unpinned: &Unpinned) -> Result<Measured> {
    let config = &arguments.config;
    let board = crew.shared();
    let end_us = arguments.end_us();
    let mut progress = Progress::new(
        config.workload(),
        config.ramp_up_s,
        config.duration_s,
        config.report_interval_s,
    );

    while crew.check()?.ready < crew.workers() && !crew.was_asked_to_stop() {
        unpinned.wait(Duration::from_millis(10));
    }
    let epoch_unix_us = unix_us();
    let clock = RunClock::new(epoch_unix_us);
    board.set_epoch(epoch_unix_us);
    crew.wake();

    let mut next_client_check_us = 0;
    let stopped_us = loop {
        let now_us = clock.now_us();
        if now_us >= end_us {
            break None;
        }
        if crew.was_asked_to_stop() {
            break Some(now_us);
        }
        crew.check()?;
        give_up_if_hopeless(board)?;
        if let Some(line) = progress.look(board, now_us as f64 / 1e6) {
            pgrx::notice!("{line}");
        }
        if now_us >= next_client_check_us {
            latch::check_client();
            next_client_check_us = now_us + 1_000_000;
        }
        let next_us = ((progress.next_s() * 1e6) as i64).min(end_us);
        unpinned.wait(clock.until(next_us).min(Duration::from_millis(100)));
    };
    crew.request_stop();
    let killed = crew.drain(unpinned, GRACE)?;
    give_up_if_hopeless(board)?;

    let measured_us = (stopped_us.unwrap_or(end_us) - arguments.ramp_up_us()).max(0);
    close_the_books(config.workload(), board, killed);
    let elapsed_s = measured_us as f64 / 1e6;
    Ok(Measured {
        began_unix_us: epoch_unix_us + arguments.ramp_up_us(),
        elapsed_s,
        partial_reason: stopped_us.map(|us| {
            format!(
                "stopped by tpcc_stop() {:.1} s after its start, of {:.1} s",
                us as f64 / 1e6,
                end_us as f64 / 1e6
            )
        }),
        series: series(progress, board, elapsed_s),
        errors: board.errors.counts(),
        counts: snapshot(board),
    })
}

fn series(progress: Progress, board: &RunBoard, elapsed_s: f64) -> Vec<SeriesPoint> {
    if elapsed_s > 0.0 {
        progress.finish(board, elapsed_s)
    } else {
        Vec::new()
    }
}

fn snapshot(board: &RunBoard) -> Snapshot {
    board.recorder.snapshot()
}

/// Transactions of terminals that had to be terminated count as failed: each one that was
/// started ends as something.
fn close_the_books(workload: &'static Workload, board: &RunBoard, killed: usize) {
    if killed == 0 {
        return;
    }
    let error = ServerError::new(
        SqlState(*b"57P01"),
        format!(
            "was under way {} s after the end of the run, and was terminated",
            GRACE.as_secs()
        ),
    );
    for transaction in workload.kinds() {
        let counters = board.recorder.counters(transaction);
        for _ in counters.ended()..counters.started {
            board.recorder.failed(transaction);
            board.errors.record(&error);
        }
    }
    pgrx::warning!(
        "{killed} workers were still in a transaction {} s after the end of the run, and were terminated",
        GRACE.as_secs()
    );
}

fn give_up_if_hopeless(board: &RunBoard) -> Result<()> {
    let (ended, failed) = board.ended_and_failed();
    if ended > 0 || failed < HOPELESS_FAILURES {
        return Ok(());
    }
    let Some(mut error) = board.errors.first() else {
        return Ok(());
    };
    error.message = format!(
        "every one of the first {failed} transactions failed: {}",
        error.message
    );
    Err(error)
}

/// As many as the machine has processors, but no more than the server's worker slots leave room
/// for beside what else needs them.
fn default_workers() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    processors.min(crew::slots().saturating_sub(3)).max(1)
}

/// A seed that is easy to type again.
fn any_seed() -> i64 {
    (RandomState::new().hash_one(unix_us()) % 1_000_000_000) as i64
}
