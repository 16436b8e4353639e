//! The session that was called: it starts the crew, waits, and tells how far the load is.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use pgrx::notice;
use workload::counted;
use workload::tpcc::Table;

use super::shared::{LoadShared, MAX_JOBS, Stage, job, slot};
use super::{Arguments, LoadJob, lock};
use crate::pg::crew::Crew;
use crate::pg::error::{Result, ServerError, SqlState, catch};
use crate::pg::latch;
use crate::pg::snapshot::Unpinned;
use crate::pg::spi::{self, Access};

/// Time between two reports.
const REPORT_EVERY: Duration = Duration::from_secs(2);
/// How long the leader sleeps before it looks again.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A row of the result of tpcc_load.
pub struct TableReport {
    /// The table.
    pub table: Table,
    /// Its rows, counted when they were written.
    pub rows: u64,
    /// Its size with its indexes.
    pub bytes: u64,
    /// What the workers spent on it in this call, added up.
    pub seconds: f64,
}

/// Loads what is missing of a schema.
///
/// # Errors
/// TC004 while another load is at work there; the first error of a worker, with a hint how to go on.
pub fn load(arguments: &Arguments, workers: usize) -> Result<Vec<TableReport>> {
    let unpinned = Unpinned::begin("SELECT * FROM tpcc_load(...)")?;
    refuse_in_recovery()?;
    lock::schema(&arguments.schema)?;
    let started = Instant::now();
    let crew = Crew::<LoadJob>::create(workers, arguments)?;
    crew.launch()?;
    let mut reporter = Reporter::new(arguments, started);
    while crew
        .check()
        .map_err(|error| resumable(error, crew.shared()))?
        .working
        > 0
    {
        reporter.look(crew.shared());
        wait(&unpinned).map_err(|error| resumable(error, crew.shared()))?;
    }
    reporter.look(crew.shared());
    let shared = crew.shared();
    let result = Table::ALL
        .map(|table| TableReport {
            table,
            rows: shared.rows[slot(table)].load(Ordering::Relaxed),
            bytes: shared.bytes[slot(table)].load(Ordering::Relaxed),
            seconds: shared.spent_us[slot(table)].load(Ordering::Relaxed) as f64 / 1e6,
        })
        .into();
    crew.finish(&unpinned, Duration::from_secs(1))?;
    Ok(result)
}

/// How many workers a load gets: those asked for, or one a CPU, as far as they find work and the
/// server has places for them.
///
/// # Errors
/// 22023 for less than one.
pub fn worker_count(asked: Option<i32>, warehouses: i32) -> Result<usize> {
    match asked {
        Some(workers @ 1..) => return Ok(workers as usize),
        Some(workers) => {
            return Err(ServerError::new(
                SqlState::INVALID_VALUE,
                format!("workers is {workers}, but at least 1 is needed"),
            ));
        }
        None => {}
    }
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let mut places = 1;
    spi::connect(|spi| {
        let sql = "SELECT pg_catalog.current_setting('max_worker_processes')::int4";
        spi.query(sql, &[], Access::ReadOnly, |row| {
            places = row.int4(0) as usize;
            Ok(())
        })
    })?;
    // Two are left for PostgreSQL's own launcher and others.
    Ok(cpus
        .min(2 * warehouses as usize)
        .min(places.saturating_sub(2))
        .max(1))
}

/// On a standby no worker would ever start.
fn refuse_in_recovery() -> Result<()> {
    let mut recovering = false;
    spi::connect(|spi| {
        spi.query(
            "SELECT pg_catalog.pg_is_in_recovery()",
            &[],
            Access::ReadOnly,
            |row| {
                recovering = row.bool(0);
                Ok(())
            },
        )
    })?;
    if recovering {
        return Err(ServerError::new(
            SqlState(*b"25006"),
            "cannot execute tpcc_load() during recovery",
        )
        .hint("Call it on the primary server."));
    }
    Ok(())
}

/// Waits a little, and ends when the client is gone; a cancel becomes an error, so that it can say
/// how to go on. The caller must let that error end the statement.
fn wait(unpinned: &Unpinned) -> Result<()> {
    catch(|| {
        unpinned.wait(LOOK_EVERY);
        latch::check_client();
        Ok(())
    })
}

/// Adds how to go on to an error that left part of the load behind.
fn resumable(error: ServerError, shared: &LoadShared) -> ServerError {
    let schema_is_gone =
        [SqlState::UNDEFINED_SCHEMA, SqlState::UNDEFINED_TABLE].contains(&error.sqlstate);
    if shared.stage() == Stage::Prepare || schema_is_gone {
        return error;
    }
    const HINT: &str =
        "What was loaded stays: call tpcc_load again with the same arguments to go on from there.";
    let hint = match &error.hint {
        Some(hint) => format!("{hint} {HINT}"),
        None => HINT.to_owned(),
    };
    error.hint(hint)
}

/// Tells what happens, at each new stage and every two seconds.
struct Reporter<'a> {
    arguments: &'a Arguments,
    started: Instant,
    stage: Stage,
    stage_began: Instant,
    next: Instant,
    rows_seconds: f64,
    last: (Instant, u64),
}

impl<'a> Reporter<'a> {
    fn new(arguments: &'a Arguments, started: Instant) -> Self {
        Self {
            arguments,
            started,
            stage: Stage::Prepare,
            stage_began: started,
            next: started + REPORT_EVERY,
            rows_seconds: 0.0,
            last: (started, 0),
        }
    }

    fn look(&mut self, shared: &LoadShared) {
        let stage = shared.stage();
        if stage != self.stage {
            self.enter(stage, shared);
        } else if Instant::now() >= self.next {
            self.next = Instant::now() + REPORT_EVERY;
            self.tell(shared);
        }
    }

    fn enter(&mut self, stage: Stage, shared: &LoadShared) {
        let now = Instant::now();
        if self.stage <= Stage::Rows {
            if stage > Stage::Prepare && self.stage == Stage::Prepare {
                self.tell_found(shared);
            }
            if stage > Stage::Rows {
                self.rows_seconds = (now - self.stage_began).as_secs_f64();
                self.tell_rows(shared);
            }
        }
        if stage == Stage::Done {
            self.tell_done(shared, now);
        }
        self.stage = stage;
        self.stage_began = now;
        self.last = (now, shared.rows_done.load(Ordering::Relaxed));
        self.next = now + REPORT_EVERY;
    }

    fn tell_found(&self, shared: &LoadShared) {
        let get = |counter: &std::sync::atomic::AtomicU32| counter.load(Ordering::Relaxed);
        let Arguments {
            schema, warehouses, ..
        } = self.arguments;
        let found = get(&shared.found_warehouses);
        let parts = match get(&shared.found_parts) {
            0 => String::new(),
            1 => " and parts of another".to_owned(),
            more => format!(" and parts of {more} others"),
        };
        let highest = get(&shared.found_highest);
        if get(&shared.missing_warehouses) == 0 && get(&shared.found_item) == 1 {
            let more = if highest > *warehouses as u32 {
                format!(" (schema \"{schema}\" has {found} in all, and none is taken away)")
            } else {
                String::new()
            };
            notice!(
                "found all of {} loaded{more}",
                counted(warehouses, "warehouse")
            );
        } else if found > 0 || get(&shared.found_parts) > 0 || get(&shared.found_item) > 0 {
            notice!(
                "found {} of {} loaded{parts}, going on with {}",
                *warehouses as u32 - get(&shared.missing_warehouses).min(*warehouses as u32),
                counted(warehouses, "warehouse"),
                get(&shared.missing_lowest).max(1)
            );
        } else {
            notice!(
                "loading {} into schema \"{schema}\"",
                counted(warehouses, "warehouse")
            );
        }
        if get(&shared.dropped_indexes) == 1 {
            notice!("indexes are dropped, to be built anew when the rows are there");
        }
        if get(&shared.other_persistence) == 1 {
            let kind = if self.arguments.unlogged {
                "logged"
            } else {
                "unlogged"
            };
            notice!("the tables are {kind}, as they were created");
        }
    }

    fn tell_rows(&self, shared: &LoadShared) {
        let rows = shared.rows_done.load(Ordering::Relaxed);
        if rows > 0 {
            notice!(
                "{rows} rows written in {:.1} s ({} rows/s); keys, indexes, vacuum",
                self.rows_seconds,
                (rows as f64 / self.rows_seconds.max(1e-3)) as u64
            );
        }
    }

    fn tell_done(&self, shared: &LoadShared, now: Instant) {
        let done = shared.jobs_in(job::DONE);
        let rows = shared.rows_done.load(Ordering::Relaxed);
        if done == 0 && rows == 0 {
            notice!("nothing to do");
        } else {
            notice!(
                "done in {:.1} s: rows {:.1} s, keys, indexes and vacuum {:.1} s",
                (now - self.started).as_secs_f64(),
                self.rows_seconds,
                if self.stage == Stage::Finish {
                    (now - self.stage_began).as_secs_f64()
                } else {
                    0.0
                }
            );
        }
    }

    /// How far, how fast, how long still.
    fn tell(&mut self, shared: &LoadShared) {
        let now = Instant::now();
        let expected = shared.cost_expected.load(Ordering::Relaxed).max(1);
        let part = (shared.cost_done.load(Ordering::Relaxed) as f64 / expected as f64).min(0.999);
        let elapsed = (now - self.started).as_secs_f64();
        let eta = if part > 0.0 {
            format!("about {:.0} s left", elapsed * (1.0 - part) / part)
        } else {
            "time left unknown".to_owned()
        };
        let percent = part * 100.0;
        match self.stage {
            Stage::Prepare => notice!("looking at schema \"{}\"", self.arguments.schema),
            Stage::Rows => {
                let rows = shared.rows_done.load(Ordering::Relaxed);
                let (then, before) = self.last;
                let rate = (rows - before) as f64 / (now - then).as_secs_f64().max(1e-3);
                self.last = (now, rows);
                notice!(
                    "{percent:.0}%, writing rows: {rows} of about {}, {} rows/s, {eta}",
                    shared.rows_expected.load(Ordering::Relaxed),
                    rate as u64
                );
            }
            Stage::Finish => {
                let done = shared.jobs_in(job::DONE);
                let all = MAX_JOBS - shared.jobs_in(job::NOT_NEEDED);
                notice!("{percent:.0}%, keys, indexes, vacuum: {done} of {all} done, {eta}");
            }
            Stage::Done => {}
        }
    }
}
