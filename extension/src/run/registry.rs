//! How another session finds a run that is going on.
//!
//! The leader holds an advisory lock of its transaction whose second key is the handle of its
//! shared memory: it goes when the run does, however that ends, and pg_locks shows it to
//! everybody. Whoever holds a lock of that class without a run at the end of it is not believed:
//! the segment itself must say that it is a run's.

use workload::Headline;

use crate::pg::crew::Observer;
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi;

use super::clock::RunClock;
use super::schema::one_row;
use super::worker::RunJob;

/// "tpcr": the first key of the advisory locks of runs.
const LOCK_CLASS: i32 = i32::from_be_bytes(*b"tpcr");

/// Makes the run with this handle known until the end of the transaction.
///
/// # Errors
/// What PostgreSQL raises.
pub fn announce(handle: u32) -> Result<()> {
    let sql = format!(
        "SELECT pg_catalog.pg_advisory_xact_lock({LOCK_CLASS}, {})",
        handle as i32
    );
    spi::connect(|spi| one_row(spi, &sql, &[], |_| ()))
}

/// A run that is going on.
pub struct LiveRun {
    /// Process of the session that called `tpcc_run`.
    pub pid: i32,
    /// Schema of the data.
    pub schema: String,
    /// Terminals.
    pub workers: i32,
    /// Seconds since the terminals were let go; 0 before.
    pub elapsed_s: f64,
    /// Seconds that it is to last, ramp-up included.
    pub planned_s: f64,
    /// Committed transactions so far, ramp-up left out.
    pub committed: i64,
    /// Transactions that failed so far, ramp-up left out.
    pub failed: i64,
    /// Committed transactions a minute, ramp-up left out.
    pub transactions_per_minute: f64,
    /// Committed New-Orders a minute, ramp-up left out; of TPC-C.
    pub new_orders_per_minute: Option<f64>,
}

/// The runs of this database that the current role may stop.
///
/// # Errors
/// What PostgreSQL raises.
pub fn live_runs() -> Result<Vec<LiveRun>> {
    let mut runs = Vec::new();
    for_each(|run| {
        if run.may_stop() {
            runs.push(describe(run));
        }
    })?;
    Ok(runs)
}

/// Asks the runs on a schema to end now. Gives their number.
///
/// # Errors
/// 42501 when there are runs, but none that the current role may stop.
pub fn stop_runs(schema: &str) -> Result<i32> {
    let (mut stopped, mut others) = (0, 0);
    for_each(|run| {
        if run.arguments().config.schema != schema {
            return;
        }
        if run.may_stop() {
            run.request_stop();
            stopped += 1;
        } else {
            others += 1;
        }
    })?;
    if stopped == 0 && others > 0 {
        return Err(ServerError::new(
            SqlState::INSUFFICIENT_PRIVILEGE,
            format!("permission denied to stop a run on schema \"{schema}\""),
        )
        .detail(
            "A run is stopped by the role that started it, a member of that role, or a superuser.",
        ));
    }
    Ok(stopped)
}

fn for_each(mut see: impl FnMut(&Observer<RunJob>)) -> Result<()> {
    let sql = format!(
        "SELECT DISTINCT objid::int8 FROM pg_catalog.pg_locks \
         WHERE locktype = 'advisory' AND classid = {LOCK_CLASS} AND objsubid = 2 AND granted \
           AND database = (SELECT oid FROM pg_catalog.pg_database \
                           WHERE datname = pg_catalog.current_database())"
    );
    let mut handles = Vec::new();
    spi::connect(|spi| one_row(spi, &sql, &[], |row| handles.push(row.int8(0) as u32)))?;
    for handle in handles {
        if let Some(run) = Observer::<RunJob>::attach(handle)? {
            see(&run);
            run.detach();
        }
    }
    Ok(())
}

fn describe(run: &Observer<RunJob>) -> LiveRun {
    let config = &run.arguments().config;
    let board = run.shared();
    let elapsed_s = board.epoch().map_or(0.0, |epoch| {
        let clock = RunClock::new(epoch);
        clock.now_us() as f64 / 1e6
    });
    let planned_s = config.ramp_up_s + config.duration_s;
    let measured_s = elapsed_s.min(planned_s) - config.ramp_up_s;
    let per_minute = |count: u64| {
        if measured_s > 0.0 {
            count as f64 * 60.0 / measured_s
        } else {
            0.0
        }
    };
    let counters: Vec<_> = board.recorder.all_counters().collect();
    let committed: u64 = counters.iter().map(|c| c.committed).sum();
    let new_orders = match config.workload().headline {
        Headline::PerMinute(index, _) => Some(counters[index].committed),
        Headline::PerSecond => None,
    };
    LiveRun {
        pid: run.owner().leader_pid,
        schema: config.schema.clone(),
        workers: run.workers() as i32,
        elapsed_s,
        planned_s,
        committed: committed as i64,
        failed: counters.iter().map(|c| c.failed as i64).sum(),
        transactions_per_minute: per_minute(committed),
        new_orders_per_minute: new_orders.map(per_minute),
    }
}
