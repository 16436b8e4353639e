//! What follows the rows: indexes, keys, foreign keys, vacuum and statistics.
//!
//! The jobs form a small graph, and every worker takes the most urgent job that is ready: a table
//! can be vacuumed while another one's index is being built, but not while its own is, since the two
//! commands lock each other out.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use pgrx::debug1;
use workload::schema::costs;
use workload::schema::script::{self, Kind, literal};
use workload::tpcc::Table;

use super::shared::{LoadShared, job, slot};
use super::{Arguments, LoadJob, prepare, say, state, stopped};
use crate::pg::crew::Worker;
use crate::pg::error::Result;
use crate::pg::spi::{self, Access, Spi};
use crate::pg::{settings, utility, xact};

/// What a worker may take for a sort.
const SORT_MEMORY: &str = "40MB";

/// Finds out which jobs are to be done, once all rows are there.
///
/// # Errors
/// What PostgreSQL raises.
pub fn plan(arguments: &Arguments, shared: &LoadShared) -> Result<()> {
    spi::connect(|spi| {
        let jobs = script::jobs(&arguments.quoted);
        let loaded = state::read_loaded(spi, &arguments.quoted)?;
        let indexes = prepare::indexes(spi, &arguments.schema)?;
        let constraints = prepare::constraints(spi, &arguments.schema)?;
        let unvacuumed = unvacuumed(spi, arguments)?;
        let mut cost = 0;
        for (job, state) in jobs.iter().zip(&shared.jobs) {
            let needed = match job.kind {
                Kind::Index => !indexes.contains(&job.name),
                Kind::Constraint => !constraints.contains(&job.name),
                Kind::ForeignKey => {
                    shared.foreign_keys.load(Ordering::Relaxed) == 1
                        && !constraints.contains(&job.name)
                }
                Kind::Vacuum => {
                    shared.written[slot(job.table)].load(Ordering::Relaxed) > 0
                        || unvacuumed.contains(&job.table)
                }
            };
            if needed {
                state.store(job::WAITING, Ordering::Relaxed);
                cost += costs::job_ns(job, loaded.rows(job.table));
            }
        }
        for table in Table::ALL {
            shared.rows[slot(table)].store(loaded.rows(table), Ordering::Relaxed);
        }
        let done = shared.cost_done.load(Ordering::Relaxed);
        shared.cost_expected.store(done + cost, Ordering::Relaxed);
        Ok(())
    })
}

/// Tables that an earlier load wrote and did not come to vacuum.
fn unvacuumed(spi: &Spi, arguments: &Arguments) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    let sql = format!(
        "SELECT c.relname::text FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = {} AND c.relkind = 'r' AND c.relallvisible < 0.9 * \
             pg_catalog.pg_relation_size(c.oid) / pg_catalog.current_setting('block_size')::int8",
        literal(&arguments.schema)
    );
    spi.query(&sql, &[], Access::ReadWrite, |row| {
        tables.extend(script::table_named(&row.text(0)));
        Ok(())
    })?;
    Ok(tables)
}

/// Does jobs until all are done, by whomever.
///
/// # Errors
/// What PostgreSQL raises in a job.
pub fn work(worker: &Worker<LoadJob>) -> Result<()> {
    let shared = worker.shared();
    let jobs = script::jobs(&worker.arguments().quoted);
    let rows = |table: Table| shared.rows[slot(table)].load(Ordering::Relaxed);
    let urgency = script::urgency(&jobs, rows);
    loop {
        if worker.should_stop() {
            return Err(stopped());
        }
        let open = |state: &AtomicU32| {
            matches!(state.load(Ordering::Acquire), job::WAITING | job::RUNNING)
        };
        let ready = (0..jobs.len())
            .filter(|i| shared.jobs[*i].load(Ordering::Acquire) == job::WAITING)
            .filter(|i| {
                let mut before = jobs.iter().zip(&shared.jobs);
                !before.any(|(other, state)| open(state) && jobs[*i].waits_for(other))
            })
            .max_by_key(|i| urgency[*i]);
        let Some(i) = ready else {
            if !shared.jobs.iter().any(open) {
                return Ok(());
            }
            worker.pause(Duration::from_millis(1));
            continue;
        };
        let claim = shared.jobs[i].compare_exchange(
            job::WAITING,
            job::RUNNING,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        if claim.is_ok() {
            say(worker, &jobs[i].sql);
            let started = Instant::now();
            set_memory(jobs[i].kind)?;
            utility::run(&jobs[i].sql).map_err(|error| match error.detail {
                None => error.detail(format!("While it ran: {}", jobs[i].sql)),
                Some(_) => error,
            })?;
            let us = started.elapsed().as_micros() as u64;
            debug1!("{us} us: {}", jobs[i].sql);
            shared.spent_us[slot(jobs[i].table)].fetch_add(us, Ordering::Relaxed);
            let cost = costs::job_ns(&jobs[i], rows(jobs[i].table));
            shared.cost_done.fetch_add(cost, Ordering::Relaxed);
            shared.jobs[i].store(job::DONE, Ordering::Release);
        }
    }
}

/// Bounds the memory of a job. A foreign key is checked by a join, which may take that much for each
/// of its two inputs; an index is built by one sort.
fn set_memory(kind: Kind) -> Result<()> {
    let memory = if kind == Kind::ForeignKey {
        "20MB"
    } else {
        SORT_MEMORY
    };
    let setting = ("maintenance_work_mem".to_owned(), memory.to_owned());
    xact::transaction(|| settings::apply(&[setting]))
}

/// Measures the tables with their indexes.
///
/// # Errors
/// What PostgreSQL raises.
pub fn measure(arguments: &Arguments, shared: &LoadShared) -> Result<()> {
    let sql = format!(
        "SELECT c.relname::text, pg_catalog.pg_total_relation_size(c.oid) \
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = {} AND c.relkind = 'r'",
        literal(&arguments.schema)
    );
    spi::connect(|spi| {
        spi.query(&sql, &[], Access::ReadWrite, |row| {
            if let Some(table) = script::table_named(&row.text(0)) {
                shared.bytes[slot(table)].store(row.int8(1) as u64, Ordering::Relaxed);
            }
            Ok(())
        })
    })?;
    Ok(())
}
