//! What the leader and the workers of a load share.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use workload::tpcc::Table;

/// The most warehouses that one call loads: each has a byte in [`LoadShared`].
pub const MAX_WAREHOUSES: usize = 65_536;
/// The most jobs after the rows: 10 indexes, 8 keys, 10 foreign keys, 9 tables to vacuum.
pub const MAX_JOBS: usize = 64;

/// Where a load stands. The order is that of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Stage {
    /// Looks at the schema and creates what is missing.
    Prepare,
    /// Writes rows.
    Rows,
    /// Builds keys and indexes, adds foreign keys, vacuums and analyzes.
    Finish,
    /// Everything is there.
    Done,
}

impl Stage {
    const ALL: [Stage; 4] = [Stage::Prepare, Stage::Rows, Stage::Finish, Stage::Done];
}

/// How a job stands, in [`LoadShared::jobs`].
pub mod job {
    /// There is nothing to do.
    pub const NOT_NEEDED: u32 = 0;
    /// Nobody has taken it yet.
    pub const WAITING: u32 = 1;
    /// A worker is at it.
    pub const RUNNING: u32 = 2;
    /// Done and committed.
    pub const DONE: u32 = 3;
}

/// Counters and places to meet, all zero at the start.
#[repr(C)]
pub struct LoadShared {
    stage: AtomicU32,
    /// Workers that came to the end of each step.
    pub arrived: [AtomicU32; 8],

    /// The seed of the rows, an i64.
    pub seed: AtomicU64,
    /// Whether the schema had to be created.
    pub created_schema: AtomicU32,
    /// Tables that had to be created.
    pub created_tables: AtomicU32,
    /// Warehouses that were there as a whole.
    pub found_warehouses: AtomicU32,
    /// The highest of them.
    pub found_highest: AtomicU32,
    /// Warehouses of which a part was there.
    pub found_parts: AtomicU32,
    /// Whether the rows of item were there.
    pub found_item: AtomicU32,
    /// Warehouses of which something is missing.
    pub missing_warehouses: AtomicU32,
    /// The lowest of them.
    pub missing_lowest: AtomicU32,
    /// Whether indexes were dropped, to be built again after the rows.
    pub dropped_indexes: AtomicU32,
    /// Whether foreign keys are wanted, by the caller or since an earlier load.
    pub foreign_keys: AtomicU32,
    /// Whether existing tables are kept although the caller asked for the other persistence.
    pub other_persistence: AtomicU32,

    /// What is to do in all, and what is done, in nanoseconds of an ordinary machine.
    pub cost_expected: AtomicU64,
    /// See `cost_expected`.
    pub cost_done: AtomicU64,
    /// Rows to write, order lines as an average.
    pub rows_expected: AtomicU64,
    /// Rows written, not all of them committed.
    pub rows_done: AtomicU64,

    /// Taken of item (0 or 1).
    pub item_taken: AtomicU32,
    /// Taken of each queue of units.
    pub taken: [AtomicU32; 2],
    /// Parts that each missing warehouse still needs before its own row may be written.
    pub parts_left: [AtomicU8; MAX_WAREHOUSES],

    /// One of [`job`], for each job.
    pub jobs: [AtomicU32; MAX_JOBS],

    /// Rows written by this call, a table.
    pub written: [AtomicU64; 9],
    /// Microseconds that workers spent on a table.
    pub spent_us: [AtomicU64; 9],
    /// Rows in the end, a table.
    pub rows: [AtomicU64; 9],
    /// Bytes in the end, a table with its indexes.
    pub bytes: [AtomicU64; 9],
}

impl LoadShared {
    /// Where the load stands.
    pub fn stage(&self) -> Stage {
        Stage::ALL[self.stage.load(Ordering::Acquire) as usize]
    }

    /// Goes on to a stage.
    pub fn enter(&self, stage: Stage) {
        self.stage.store(stage as u32, Ordering::Release);
    }

    /// Jobs in a state.
    pub fn jobs_in(&self, state: u32) -> usize {
        self.jobs
            .iter()
            .filter(|job| job.load(Ordering::Relaxed) == state)
            .count()
    }
}

/// A table's place in the arrays above.
pub fn slot(table: Table) -> usize {
    table as usize
}
