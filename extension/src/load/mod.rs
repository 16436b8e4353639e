//! The initial population, written by background workers straight into the heap.
//!
//! A crew of workers goes through four steps and meets after each: one of them looks at the schema
//! and creates what is missing ([`prepare`]); all write rows, a unit a transaction ([`units`]); all
//! build keys and indexes, then vacuum and analyze, table by table ([`finish`]); one measures the
//! result. The session that was called only waits and tells how far it is ([`leader`]).
//!
//! Everything a load needs to know to go on after a crash is in the schema: the units in
//! `tpcc_load`, the choices in `tpcc_scale`, indexes and constraints in PostgreSQL's catalogs.

pub mod drop;
mod finish;
mod leader;
pub(crate) mod lock;
pub mod oltp;
mod prepare;
mod shared;
mod state;
pub mod tpcb;
mod units;

use std::ffi::CStr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use workload::schema::Fillfactors;

use crate::pg::crew::{Job, Worker};
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::settings;
use crate::pg::{spi, xact};

pub use leader::{TableReport, load, worker_count};
pub use shared::LoadShared;
use shared::Stage;
use units::Missing;

/// What a load is asked to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arguments {
    /// Warehouses 1 to this are to be there.
    pub warehouses: i32,
    /// The schema's name.
    pub schema: String,
    /// The same as an SQL identifier.
    pub quoted: String,
    /// The seed of the rows; by default that of the schema.
    pub seed: Option<i64>,
    /// Whether foreign keys are to be added.
    pub foreign_keys: bool,
    /// Whether tables that are created are not logged.
    pub unlogged: bool,
    /// For tables that are created.
    pub fillfactors: Fillfactors,
}

impl Arguments {
    /// About how much the tables and indexes will take.
    fn expected_bytes(&self) -> u64 {
        const BYTES_PER_WAREHOUSE: u64 = 105_000_000;
        self.warehouses as u64 * BYTES_PER_WAREHOUSE
    }
}

/// The job of the load's workers.
pub struct LoadJob;

impl Job for LoadJob {
    const NAME: &'static str = "load";
    const ENTRY: &'static CStr = c"pg_tpcc_load_worker";
    type Arguments = Arguments;
    type Shared = LoadShared;

    fn work(worker: &Worker<Self>) -> Result<()> {
        let shared = worker.shared();
        xact::transaction(|| settings::apply(&worker_settings()))?;

        say(worker, "looks at the schema");
        if worker.index() == 0 {
            xact::transaction(|| prepare::prepare(worker.arguments(), shared))?;
            shared.enter(Stage::Rows);
        }
        meet(worker, 0)?;

        say(worker, "writes rows");
        missing(worker.arguments())?.load(worker)?;
        meet(worker, 1)?;

        if worker.index() == 0 {
            xact::transaction(|| finish::plan(worker.arguments(), shared))?;
            shared.enter(Stage::Finish);
        }
        meet(worker, 2)?;

        finish::work(worker)?;
        meet(worker, 3)?;

        if worker.index() == 0 {
            xact::transaction(|| finish::measure(worker.arguments(), shared))?;
            shared.enter(Stage::Done);
        }
        Ok(())
    }
}

/// What every worker sets for itself.
///
/// The workers themselves are the parallelism, and each one's memory is bounded (see also
/// [`finish`]); two index builds on one table must not start in the middle of it, where the other
/// one is, because rows in the order of the key need no sorting; VACUUM writes every page that it
/// reads, and with its small default ring it would wait for the log at each round.
fn worker_settings() -> Vec<(String, String)> {
    let all = [
        ("max_parallel_maintenance_workers", "0"),
        ("max_parallel_workers_per_gather", "0"),
        ("hash_mem_multiplier", "1"),
        ("synchronize_seqscans", "off"),
        #[cfg(not(any(feature = "pg14", feature = "pg15")))]
        ("vacuum_buffer_usage_limit", "16MB"),
    ];
    all.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

/// What is missing now. Nobody but this crew writes the state, so between two steps every worker
/// gets the same answer.
fn missing(arguments: &Arguments) -> Result<Missing> {
    xact::transaction(|| {
        let loaded = spi::connect(|spi| state::read_loaded(spi, &arguments.quoted))?;
        Missing::new(&loaded, arguments.warehouses)
    })
}

/// Waits until all workers have come to the end of a step.
fn meet(worker: &Worker<LoadJob>, step: usize) -> Result<()> {
    let arrived = &worker.shared().arrived[step];
    arrived.fetch_add(1, Ordering::AcqRel);
    while (arrived.load(Ordering::Acquire) as usize) < worker.workers() {
        if worker.should_stop() {
            return Err(stopped());
        }
        worker.pause(Duration::from_millis(1));
    }
    Ok(())
}

fn stopped() -> ServerError {
    ServerError::new(SqlState(*b"57014"), "the load was stopped")
}

/// Shows in `pg_stat_activity` what a worker does.
fn say(worker: &Worker<LoadJob>, what: &str) {
    xact::report_activity(xact::Activity::Running(&format!(
        "pg_tpcc load worker {} of {}: {what}",
        worker.index() + 1,
        worker.workers()
    )));
}
