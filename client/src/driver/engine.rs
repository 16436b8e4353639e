//! A run of the client: threads with their connections, the clock, and what came of it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Resource, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::LocalSet;
use workload::Workload;
use workload::result::SeriesPoint;

use super::desk::Desk;
use super::phase::{Announcer, Listener, Phase, Schedule};
use super::plan::Plan;
use super::series::Series;
use super::station::{Station, StationError};

/// How long a transaction that is under way at the end of a run may still take before it is cancelled.
const GRACE: Duration = Duration::from_secs(10);
/// And after it was cancelled.
const GRACE_AFTER_CANCEL: Duration = Duration::from_secs(5);
/// When so many transactions were tried and none went well, the run is given up.
const HOPELESS_FAILURES: u64 = 20;
/// How many connections of a thread are opened at the same time.
const OPENED_AT_ONCE: usize = 16;

/// Why a run did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A connection could not be opened or made ready.
    #[error(transparent)]
    Station(#[from] StationError),
    /// Nothing works.
    #[error("every one of the first {count} transactions failed: {first_message} ({sqlstate})")]
    Hopeless {
        /// How many were tried.
        count: u64,
        /// The most frequent SQLSTATE.
        sqlstate: String,
        /// Its first message.
        first_message: String,
    },
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The process may not open a socket for each connection.
    #[error(
        "{least} files are needed, and this process may open {limit}: ulimit -n {least}, or fewer connections"
    )]
    Files {
        /// What it may.
        limit: u64,
        /// What it needs at least.
        least: u64,
    },
    /// Ctrl-C before anything was measured.
    #[error("interrupted")]
    Interrupted,
}

/// What a run brings back.
pub struct Measured {
    /// The counts of each thread.
    pub desks: Vec<Arc<Desk>>,
    /// A point a second.
    pub series: Vec<SeriesPoint>,
    /// When the figures begin.
    pub measured_from: Instant,
    /// The same in microseconds since 1970.
    pub began_unix_us: i64,
    /// How long was measured.
    pub elapsed: Duration,
    /// Why it ended before its time, if it did.
    pub partial_reason: Option<String>,
    /// CPU time of the process while it was measured.
    pub cpu: Duration,
}

/// Ends a run early, from wherever: the future of a first Ctrl-C, for instance.
pub type Interrupt<'a> = &'a mut (dyn Future<Output = ()> + Unpin);

/// Runs, telling a line of progress now and then.
///
/// # Errors
/// When the run cannot begin, or nothing in it works.
pub async fn run(
    plan: &Arc<Plan>,
    interrupt: Interrupt<'_>,
    mut tell: impl FnMut(&str),
) -> Result<Measured, RunError> {
    allow_files(plan.connections)?;
    let (announcer, _) = watch::channel(Phase::Connecting);
    let mut crew = Crew::start(plan, &announcer)?;
    let connected = tokio::select! {
        result = crew.connected() => result,
        () = &mut *interrupt => Err(RunError::Interrupted),
    };
    if let Err(error) = connected {
        announcer.send_replace(Phase::Stopping);
        crew.finish(plan).await;
        return Err(error);
    }
    let epoch = Instant::now();
    let schedule = Schedule {
        epoch,
        measured_from: epoch + plan.ramp_up,
        end: epoch + plan.ramp_up + plan.duration,
    };
    let began_unix_us = unix_us() + plan.ramp_up.as_micros() as i64;
    announcer.send_replace(Phase::Running(schedule));

    let mut series = Series::new(
        plan.workload(),
        crew.desks.clone(),
        plan.ramp_up.as_secs_f64(),
        plan.duration.as_secs_f64(),
        plan.report_interval
            .map_or(0.0, |every| every.as_secs_f64()),
    );
    let mut cpu_at_start = None;
    let mut stopped = None;
    let hopeless = loop {
        let now = Instant::now();
        if now >= schedule.end {
            break None;
        }
        if cpu_at_start.is_none() && now >= schedule.measured_from {
            cpu_at_start = Some(cpu_of(ClockId::ProcessCPUTime));
        }
        if let Some(error) = hopeless(&crew.desks) {
            break Some(error);
        }
        let since_s = |moment: Instant| signed_s(moment, schedule.measured_from);
        if let Some(line) = series.look(since_s(now)) {
            tell(&line);
        }
        let next_s = series.next_s().max(since_s(now));
        let next = schedule.measured_from + Duration::from_secs_f64(next_s.max(0.0));
        let next = next.min(schedule.end).min(now + Duration::from_millis(100));
        tokio::select! {
            () = tokio::time::sleep_until(next.into()) => {}
            () = &mut *interrupt => {
                stopped = Some(Instant::now());
                break None;
            }
        }
    };
    announcer.send_replace(Phase::Stopping);
    let ended = stopped.unwrap_or(schedule.end);
    let cpu = cpu_at_start.map_or(Duration::ZERO, |start| {
        cpu_of(ClockId::ProcessCPUTime).saturating_sub(start)
    });
    let desks = crew.desks.clone();
    crew.finish(plan).await;
    if let Some(error) = hopeless {
        return Err(error);
    }
    close_the_books(plan.workload(), &desks);
    let elapsed = ended.saturating_duration_since(schedule.measured_from);
    if let Some(line) = series.look(signed_s(ended, schedule.measured_from)) {
        tell(&line);
    }
    let planned_s = (plan.ramp_up + plan.duration).as_secs_f64();
    Ok(Measured {
        series: series.finish(elapsed.as_secs_f64()),
        desks,
        measured_from: schedule.measured_from,
        began_unix_us,
        elapsed,
        partial_reason: stopped.map(|moment| {
            let after_s = moment.duration_since(epoch).as_secs_f64();
            format!("interrupted {after_s:.1} s after its start, of {planned_s:.1} s")
        }),
        cpu,
    })
}

/// Files that are open beside the connections'.
const OTHER_FILES: u64 = 64;

/// Lets the process open as many files as its connections need: a socket each, and a timer for those
/// that wait.
///
/// # Errors
/// [`RunError::Files`] when that is less than the sockets take.
pub(crate) fn allow_files(connections: u32) -> Result<(), RunError> {
    let wanted = u64::from(connections) * 2 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    limit.current = limit.maximum;
    // Where it is not allowed to raise it, what there is may still do.
    let _ = setrlimit(Resource::Nofile, limit);
    let least = u64::from(connections) + OTHER_FILES;
    match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < least => Err(RunError::Files { limit, least }),
        _ => Ok(()),
    }
}

/// The threads of a run.
struct Crew {
    threads: Vec<JoinHandle<()>>,
    desks: Vec<Arc<Desk>>,
    /// A message a connection that is ready, or is not; closed when all stations are gone.
    readiness: mpsc::UnboundedReceiver<Result<(), StationError>>,
    connections: u32,
}

impl Crew {
    fn start(plan: &Arc<Plan>, announcer: &Announcer) -> Result<Crew, RunError> {
        let (ready, readiness) = mpsc::unbounded_channel();
        let mut crew = Crew {
            threads: Vec::new(),
            desks: Vec::new(),
            readiness,
            connections: plan.connections,
        };
        for thread in 0..plan.threads.min(plan.connections) {
            let desk = Arc::new(Desk::new());
            crew.desks.push(Arc::clone(&desk));
            let (plan, listener, ready) =
                (Arc::clone(plan), Listener::new(announcer), ready.clone());
            let handle = std::thread::Builder::new()
                .name(format!("tpcc-{}", thread + 1))
                .spawn(move || work(&plan, &desk, &listener, thread, &ready))
                .map_err(RunError::Thread)?;
            crew.threads.push(handle);
        }
        Ok(crew)
    }

    /// Waits until every connection is ready.
    async fn connected(&mut self) -> Result<(), RunError> {
        for _ in 0..self.connections {
            match self.readiness.recv().await {
                Some(Ok(())) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Err(RunError::Interrupted),
            }
        }
        Ok(())
    }

    /// Waits until all stations are gone; transactions that take too long are cancelled.
    async fn finish(mut self, plan: &Plan) {
        if !self.gone_within(GRACE).await {
            let mut tokens = Vec::new();
            for desk in &self.desks {
                tokens.extend(desk.tally().tokens.iter().map(|(_, token)| token.clone()));
            }
            for token in tokens {
                // One that cannot be cancelled ends with its connection.
                let _ = plan.connector.cancel(&token).await;
            }
            if !self.gone_within(GRACE_AFTER_CANCEL).await {
                // A thread that hangs is left alone: its connections end with the process.
                return;
            }
        }
        for thread in self.threads {
            let _ = thread.join();
        }
    }

    async fn gone_within(&mut self, limit: Duration) -> bool {
        let gone = async { while self.readiness.recv().await.is_some() {} };
        tokio::time::timeout(limit, gone).await.is_ok()
    }
}

/// A thread: its share of the connections, in one task each.
fn work(
    plan: &Arc<Plan>,
    desk: &Arc<Desk>,
    listener: &Listener,
    thread: u32,
    ready: &mpsc::UnboundedSender<Result<(), StationError>>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            // Too many open files, most likely: nothing can be connected then either.
            let error = crate::connect::ConnectError::Refused {
                target: plan.connector.target(),
                reason: error.to_string(),
            };
            let _ = ready.send(Err(error.into()));
            return;
        }
    };
    let local = LocalSet::new();
    let opening = Arc::new(Semaphore::new(OPENED_AT_ONCE));
    for number in (thread..plan.connections).step_by(plan.threads as usize) {
        let (plan, desk, listener) = (Arc::clone(plan), Arc::clone(desk), listener.clone());
        let (opening, ready) = (Arc::clone(&opening), ready.clone());
        local.spawn_local(async move {
            let permit = opening.acquire().await;
            let mut stopping = listener.clone();
            let opened = tokio::select! {
                opened = Station::open(plan, desk, listener, number) => opened,
                () = stopping.stopping() => return,
            };
            drop(permit);
            match opened {
                Ok(station) => {
                    let _ = ready.send(Ok(()));
                    station.run().await;
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                }
            }
        });
    }
    local.spawn_local(keep_time(Arc::clone(desk), listener.clone()));
    runtime.block_on(local);
}

/// Notes how busy the thread was while it was measured.
async fn keep_time(desk: Arc<Desk>, mut listener: Listener) {
    let Some(schedule) = listener.start().await else {
        return;
    };
    tokio::select! {
        () = tokio::time::sleep_until(schedule.measured_from.into()) => {}
        () = listener.stopping() => return,
    }
    let (cpu, start) = (cpu_of(ClockId::ThreadCPUTime), Instant::now());
    listener.stopping().await;
    let busy = cpu_of(ClockId::ThreadCPUTime).saturating_sub(cpu);
    desk.tally().busy = Some((busy, start.elapsed()));
}

fn cpu_of(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(
        time.tv_sec.try_into().unwrap_or(0),
        time.tv_nsec.try_into().unwrap_or(0),
    )
}

fn hopeless(desks: &[Arc<Desk>]) -> Option<RunError> {
    let (mut done, mut failed) = (0, 0);
    for desk in desks {
        let ramp_up = desk.tally().ramp_up;
        done += ramp_up.0;
        failed += ramp_up.1;
        for counters in desk.recorder.all_counters() {
            done += counters.committed + counters.rolled_back;
            failed += counters.failed;
        }
    }
    if done > 0 || failed < HOPELESS_FAILURES {
        return None;
    }
    let mut errors = workload::stats::ErrorTally::new();
    for desk in desks {
        errors.merge(&desk.tally().errors);
    }
    let first = errors.into_counts().into_iter().next()?;
    Some(RunError::Hopeless {
        count: failed,
        sqlstate: first.sqlstate,
        first_message: first.first_message,
    })
}

/// Transactions whose thread hangs count as failed: each one that was started ends as something.
fn close_the_books(workload: &'static Workload, desks: &[Arc<Desk>]) {
    for desk in desks {
        for transaction in workload.kinds() {
            let counters = desk.recorder.counters(transaction);
            for _ in counters.ended()..counters.started {
                desk.recorder.failed(transaction);
                desk.tally().errors.record(
                    "57014",
                    "was under way after the end of the run, and did not let itself be cancelled",
                );
            }
        }
    }
}

fn signed_s(moment: Instant, origin: Instant) -> f64 {
    if moment >= origin {
        moment.duration_since(origin).as_secs_f64()
    } else {
        -origin.duration_since(moment).as_secs_f64()
    }
}

/// Now, in microseconds since 1970.
pub fn unix_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_micros() as i64)
}
