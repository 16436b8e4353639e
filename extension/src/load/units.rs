//! The rows of a load, cut into units of one transaction each.
//!
//! A unit's rows and its line in `tpcc_load_part` or `tpcc_load` are committed together, so it is there wholly or not
//! at all. Units of one queue are taken in the order of the warehouses, and a worker stays with
//! its queue while there is something in it: a table that is written by one worker has its rows in
//! the order of its key, and its index is then built without sorting.

use std::sync::atomic::Ordering;
use std::time::Instant;

use pgrx::debug1;
use workload::schema::{Loaded, Part, Unit as Written, costs};
use workload::tpcc::{Population, Row, Table};

use super::shared::{LoadShared, MAX_WAREHOUSES, slot};
use super::{Arguments, LoadJob, lock};
use crate::pg::bulk::{Buffers, BulkWriter};
use crate::pg::crew::Worker;
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::{spi, xact};

/// Rows between two reports of progress.
const REPORT_ROWS: u64 = 4_096;

/// A part of a warehouse that is missing.
#[derive(Clone, Copy, Debug)]
struct Unit {
    part: Part,
    w_id: i32,
    /// The warehouse's place in [`LoadShared::parts_left`].
    place: usize,
}

/// What is missing, the same for every worker that reads the same state.
pub struct Missing {
    item: bool,
    /// Two queues of about the same work.
    queues: [Vec<Unit>; 2],
    warehouses: Vec<(i32, u8)>,
}

impl Missing {
    /// What warehouses 1 to `warehouses` need.
    ///
    /// # Errors
    /// 22023 for more than one call can load.
    pub fn new(loaded: &Loaded, warehouses: i32) -> Result<Self> {
        let mut missing = Self {
            item: !loaded.has_item(),
            queues: Default::default(),
            warehouses: Vec::new(),
        };
        // What is there in part only would break the others' conditions.
        let warehouses = warehouses.max(loaded.highest_begun());
        for w_id in (1..=warehouses).filter(|w_id| !loaded.has(Part::Whole, *w_id)) {
            let place = missing.warehouses.len();
            let parts = Part::FREE
                .into_iter()
                .filter(|part| !loaded.has(*part, w_id));
            let mut count = 0;
            for part in parts {
                let queue = usize::from(part != Part::Orders);
                missing.queues[queue].push(Unit { part, w_id, place });
                count += 1;
            }
            missing.warehouses.push((w_id, count));
            if missing.warehouses.len() > MAX_WAREHOUSES {
                return Err(ServerError::new(
                    SqlState::INVALID_VALUE,
                    format!(
                        "warehouses is {warehouses}, and more than the {MAX_WAREHOUSES} that one call loads are missing"
                    ),
                )
                .hint("Call tpcc_load several times with a growing number of warehouses."));
            }
        }
        Ok(missing)
    }

    /// Whether there are rows to write.
    pub fn is_empty(&self) -> bool {
        !self.item && self.warehouses.is_empty()
    }

    /// The warehouses of which something is missing.
    pub fn warehouses(&self) -> impl ExactSizeIterator<Item = i32> + '_ {
        self.warehouses.iter().map(|(w_id, _)| *w_id)
    }

    /// Warehouses of which something is there.
    pub fn begun(&self) -> usize {
        self.warehouses
            .iter()
            .filter(|(_, left)| usize::from(*left) < Part::FREE.len())
            .count()
    }

    /// Rows to write into a table, order lines as an average.
    pub fn rows(&self, table: Table) -> u64 {
        if table == Table::Item {
            return if self.item { table.rows(0) } else { 0 };
        }
        let units = if Part::Whole.tables().contains(&table) {
            self.warehouses.len()
        } else {
            let units = self.queues.iter().flatten();
            units
                .filter(|unit| unit.part.tables().contains(&table))
                .count()
        };
        units as u64 * table.rows_per_warehouse()
    }

    /// Fills in the counters with which the workers will share it out.
    pub fn publish(&self, shared: &LoadShared) {
        for ((_, parts), left) in self.warehouses.iter().zip(&shared.parts_left) {
            left.store(*parts, Ordering::Relaxed);
        }
        let rows = Table::ALL.map(|table| self.rows(table)).iter().sum();
        shared.rows_expected.store(rows, Ordering::Relaxed);
        let cost: u64 = Table::ALL
            .iter()
            .map(|t| self.rows(*t) * costs::write_ns(*t))
            .sum();
        shared.cost_expected.fetch_add(cost, Ordering::Relaxed);
    }

    /// Writes units until none is left.
    ///
    /// # Errors
    /// What PostgreSQL raises: the unit it happened in is rolled back.
    pub fn load(&self, worker: &Worker<LoadJob>) -> Result<()> {
        let shared = worker.shared();
        let seed = shared.seed.load(Ordering::Relaxed) as i64;
        let writer = UnitWriter {
            shared,
            arguments: worker.arguments(),
            population: Population::new(seed),
            buffers: Buffers::for_size(worker.arguments().expected_bytes()),
        };
        if self.item && shared.item_taken.fetch_add(1, Ordering::Relaxed) == 0 {
            writer.item()?;
        }
        if worker.index() == 0 {
            // Warehouses whose parts are all there, but which were cut off before their own row.
            for (w_id, _) in self.warehouses.iter().filter(|(_, left)| *left == 0) {
                writer.unit(Part::Whole, *w_id)?;
            }
        }
        while !worker.should_stop() {
            let Some(unit) = self.next(worker) else { break };
            writer.unit(unit.part, unit.w_id)?;
            if shared.parts_left[unit.place].fetch_sub(1, Ordering::AcqRel) == 1 {
                writer.unit(Part::Whole, unit.w_id)?;
            }
        }
        Ok(())
    }

    fn next(&self, worker: &Worker<LoadJob>) -> Option<Unit> {
        let shared = worker.shared();
        let first = if worker.workers() > 1 {
            worker.index() % 2
        } else {
            // Alone, finish one warehouse after the other.
            let head = |queue: usize| {
                let at = shared.taken[queue].load(Ordering::Relaxed) as usize;
                self.queues[queue]
                    .get(at)
                    .map_or(i32::MAX, |unit| unit.w_id)
            };
            usize::from(head(1) < head(0))
        };
        [first, 1 - first].into_iter().find_map(|queue| {
            let at = shared.taken[queue].fetch_add(1, Ordering::Relaxed) as usize;
            self.queues[queue].get(at).copied()
        })
    }
}

/// Writes units.
struct UnitWriter<'a> {
    shared: &'a LoadShared,
    arguments: &'a Arguments,
    population: Population,
    buffers: Buffers,
}

impl UnitWriter<'_> {
    fn item(&self) -> Result<()> {
        xact::transaction(|| {
            self.hold_schema()?;
            let unit = self.table(self.population.items())?;
            spi::connect(|spi| {
                spi.run(&unit.record_item(&self.arguments.quoted, self.population.seed()))
            })
        })
    }

    fn unit(&self, part: Part, w_id: i32) -> Result<()> {
        let population = &self.population;
        xact::transaction(|| {
            self.hold_schema()?;
            let units = match part {
                Part::Orders => vec![
                    self.table(population.order_lines(w_id))?,
                    self.table(population.orders(w_id))?,
                    self.table(population.new_orders(w_id))?,
                ],
                Part::Stock => vec![self.table(population.stock(w_id))?],
                Part::Customers => vec![
                    self.table(population.customers(w_id))?,
                    self.table(population.history(w_id))?,
                ],
                Part::Whole => vec![
                    self.table(population.districts(w_id))?,
                    self.table(std::iter::once(population.warehouse(w_id)))?,
                ],
            };
            let unit = Written {
                rows: units.iter().map(|unit| unit.rows).sum(),
                seconds: units.iter().map(|unit| unit.seconds).sum(),
            };
            let schema = &self.arguments.quoted;
            let record = match part {
                Part::Whole => unit.record_whole(schema, w_id, population.seed()),
                _ => unit.record_part(schema, part, w_id),
            };
            spi::connect(|spi| spi.run(&record))
        })
    }

    /// Lets the next load wait for this transaction, should it outlive its leader for a moment.
    fn hold_schema(&self) -> Result<()> {
        spi::connect(|spi| lock::units(spi, &self.arguments.schema))
    }

    fn table<R: Row>(&self, rows: impl Iterator<Item = R>) -> Result<Written> {
        let started = Instant::now();
        let mut writer = BulkWriter::open(&self.arguments.schema, R::TABLE.name(), self.buffers)?;
        let mut unreported = 0;
        let report = |rows: u64| {
            self.shared.rows_done.fetch_add(rows, Ordering::Relaxed);
            self.shared
                .cost_done
                .fetch_add(rows * costs::write_ns(R::TABLE), Ordering::Relaxed);
        };
        rows.for_each(|row| {
            writer.push(&row);
            unreported += 1;
            if unreported == REPORT_ROWS {
                report(unreported);
                unreported = 0;
            }
        });
        report(unreported);
        let rows = writer.finish();
        let seconds = started.elapsed().as_secs_f64();
        debug1!("{:.0} us: {rows} rows into {}", seconds * 1e6, R::TABLE);
        self.shared.written[slot(R::TABLE)].fetch_add(rows, Ordering::Relaxed);
        self.shared.spent_us[slot(R::TABLE)].fetch_add((seconds * 1e6) as u64, Ordering::Relaxed);
        Ok(Written { rows, seconds })
    }
}
