//! What is to be done and who does it: units of rows, and the jobs after them.
//!
//! A job begins when the rows of its tables are there, though others may still be written. A VACUUM
//! waits for all rows, and for the jobs that began before that: their snapshots are older than the last
//! rows, which could not be marked as visible to all.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use workload::schema::script::{self, Job, Kind};
use workload::schema::{Loaded, Part, costs};
use workload::tpcc::Table;

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// The rows of item.
    Item,
    /// A part of a warehouse.
    Unit(Part, i32),
    /// A job, by its place in [`Board::jobs`].
    Job(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    NotNeeded,
    Waiting,
    /// Begun; whether rows were still missing then.
    Running(bool),
    Done,
}

/// What is missing of a schema.
pub(super) struct Missing {
    item: bool,
    /// Orders, and the rest: two connections then write different tables, each in the order of its key.
    queues: [VecDeque<(Part, i32)>; 2],
    parts_left: HashMap<i32, usize>,
    lowest: Option<i32>,
}

impl Missing {
    /// What warehouses 1 to `warehouses` need, and those up to the last one that was begun and not finished:
    /// what is there in part only would break the others' conditions.
    pub(super) fn new(loaded: &Loaded, warehouses: i32) -> Missing {
        let mut missing = Missing {
            item: !loaded.has_item(),
            queues: Default::default(),
            parts_left: HashMap::new(),
            lowest: None,
        };
        let warehouses = warehouses.max(loaded.highest_begun());
        for w_id in (1..=warehouses).filter(|w_id| !loaded.has(Part::Whole, *w_id)) {
            missing.lowest.get_or_insert(w_id);
            let free = Part::FREE.into_iter();
            let parts: Vec<_> = free.filter(|part| !loaded.has(*part, w_id)).collect();
            missing.parts_left.insert(w_id, parts.len());
            for part in parts {
                missing.queues[usize::from(part != Part::Orders)].push_back((part, w_id));
            }
        }
        missing
    }

    /// Whether there are rows to write.
    pub(super) fn is_empty(&self) -> bool {
        !self.item && self.parts_left.is_empty()
    }

    /// Warehouses of which something is missing.
    pub(super) fn warehouses(&self) -> usize {
        self.parts_left.len()
    }

    /// Those of which something is there.
    pub(super) fn begun(&self) -> usize {
        self.parts_left
            .values()
            .filter(|left| **left < Part::FREE.len())
            .count()
    }

    /// The first warehouse of which something is missing.
    pub(super) fn lowest(&self) -> i32 {
        self.lowest.unwrap_or(1)
    }

    /// Rows to write into a table, order lines as an average.
    pub(super) fn rows(&self, table: Table) -> u64 {
        if table == Table::Item {
            return if self.item { table.rows(0) } else { 0 };
        }
        let units = if Part::Whole.tables().contains(&table) {
            self.parts_left.len()
        } else {
            let units = self.queues.iter().flatten();
            units
                .filter(|(part, _)| part.tables().contains(&table))
                .count()
        };
        units as u64 * table.rows_per_warehouse()
    }

    /// Rows to write in all.
    pub(super) fn all_rows(&self) -> u64 {
        Table::ALL.iter().map(|table| self.rows(*table)).sum()
    }
}

/// What all connections share; the counters outside the lock are [`Counters`].
pub(super) struct Board {
    item: bool,
    queues: [VecDeque<(Part, i32)>; 2],
    wholes: VecDeque<i32>,
    parts_left: HashMap<i32, usize>,
    /// Units not committed yet, a table.
    open_units: [usize; 9],
    /// All jobs, needed or not.
    pub(super) jobs: Vec<Job>,
    states: Vec<State>,
    urgency: Vec<u64>,
    rows: [u64; 9],
}

impl Board {
    /// `needed` says which jobs are to be done, `loaded` what is there already.
    pub(super) fn new(missing: Missing, loaded: &Loaded, jobs: Vec<Job>, needed: &[bool]) -> Board {
        let rows = Table::ALL.map(|table| loaded.rows(table) + missing.rows(table));
        let urgency = script::urgency(&jobs, |table| rows[table as usize]);
        let mut open_units = [0; 9];
        open_units[Table::Item as usize] = missing.item.into();
        for table in Part::Whole.tables() {
            open_units[*table as usize] = missing.parts_left.len();
        }
        for (part, _) in missing.queues.iter().flatten() {
            for table in part.tables() {
                open_units[*table as usize] += 1;
            }
        }
        let state = |needed: &bool| {
            if *needed {
                State::Waiting
            } else {
                State::NotNeeded
            }
        };
        let left = missing.parts_left.iter();
        let mut wholes: Vec<_> = left
            .filter(|(_, left)| **left == 0)
            .map(|(w, _)| *w)
            .collect();
        wholes.sort_unstable();
        Board {
            item: missing.item,
            wholes: wholes.into(),
            queues: missing.queues,
            parts_left: missing.parts_left,
            open_units,
            states: needed.iter().map(state).collect(),
            urgency,
            jobs,
            rows,
        }
    }

    /// What the connection of this number does next. None when there is nothing to do now.
    pub(super) fn next(&mut self, connection: usize) -> Option<Task> {
        if std::mem::take(&mut self.item) {
            return Some(Task::Item);
        }
        if let Some(w_id) = self.wholes.pop_front() {
            return Some(Task::Unit(Part::Whole, w_id));
        }
        let first = connection % 2;
        let unit = [first, 1 - first]
            .into_iter()
            .find_map(|queue| self.queues[queue].pop_front());
        if let Some((part, w_id)) = unit {
            return Some(Task::Unit(part, w_id));
        }
        let writing = self.is_writing();
        let job = (0..self.jobs.len())
            .filter(|job| self.states[*job] == State::Waiting && self.is_ready(*job))
            .max_by_key(|job| self.urgency[*job])?;
        self.states[job] = State::Running(writing);
        Some(Task::Job(job))
    }

    fn is_ready(&self, job: usize) -> bool {
        let wanted = &self.jobs[job];
        if Table::ALL
            .iter()
            .any(|t| wanted.touches(*t) && self.open_units[*t as usize] > 0)
        {
            return false;
        }
        if wanted.kind == Kind::Vacuum
            && (self.is_writing() || self.states.contains(&State::Running(true)))
        {
            return false;
        }
        let mut others = self.jobs.iter().zip(&self.states);
        !others.any(|(other, state)| {
            matches!(state, State::Waiting | State::Running(_)) && wanted.waits_for(other)
        })
    }

    /// Whether rows are missing.
    pub(super) fn is_writing(&self) -> bool {
        self.open_units.iter().any(|open| *open > 0)
    }

    /// Marks something as done.
    pub(super) fn done(&mut self, task: Task) {
        let tables = match task {
            Task::Item => &[Table::Item][..],
            Task::Unit(part, w_id) => {
                if part != Part::Whole
                    && let Some(left) = self.parts_left.get_mut(&w_id)
                {
                    *left -= 1;
                    if *left == 0 {
                        self.wholes.push_back(w_id);
                    }
                }
                part.tables()
            }
            Task::Job(job) => {
                self.states[job] = State::Done;
                return;
            }
        };
        for table in tables {
            self.open_units[*table as usize] -= 1;
        }
    }

    /// Whether everything is done.
    pub(super) fn is_done(&self) -> bool {
        let open = |state: &State| matches!(state, State::Waiting | State::Running(_));
        !self.is_writing() && !self.states.iter().any(open)
    }

    /// What a job costs, in nanoseconds.
    pub(super) fn cost(&self, job: usize) -> u64 {
        costs::job_ns(&self.jobs[job], self.rows[self.jobs[job].table as usize])
    }

    /// What is to be done, in nanoseconds.
    pub(super) fn expected(&self) -> u64 {
        let waiting = (0..self.jobs.len()).filter(|job| self.states[*job] == State::Waiting);
        waiting.map(|job| self.cost(job)).sum()
    }

    /// Jobs that are done, and all that are needed.
    pub(super) fn jobs_done(&self) -> (usize, usize) {
        let count = |wanted: fn(&State) -> bool| self.states.iter().filter(|s| wanted(s)).count();
        (
            count(|state| *state == State::Done),
            count(|state| *state != State::NotNeeded),
        )
    }
}

/// What was done, counted as it goes.
#[derive(Default)]
pub(super) struct Counters {
    /// Rows sent, not all of them committed.
    pub(super) rows: AtomicU64,
    /// What was done of the expected cost, in nanoseconds.
    pub(super) cost: AtomicU64,
    /// Microseconds that connections spent on a table.
    pub(super) spent_us: [AtomicU64; 9],
}

impl Counters {
    /// Counts rows of a table; negative when they were taken back.
    pub(super) fn add_rows(&self, table: Table, rows: i64) {
        let cost = rows * costs::write_ns(table) as i64;
        self.rows.fetch_add(rows as u64, Relaxed);
        self.cost.fetch_add(cost as u64, Relaxed);
    }

    /// Counts a job.
    pub(super) fn add_cost(&self, cost: u64) {
        self.cost.fetch_add(cost, Relaxed);
    }

    /// Counts time.
    pub(super) fn add_time(&self, table: Table, us: u64) {
        self.spent_us[table as usize].fetch_add(us, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(loaded: &Loaded, warehouses: i32) -> Board {
        let jobs = script::jobs("s");
        let needed: Vec<_> = jobs
            .iter()
            .map(|job| job.kind != Kind::ForeignKey)
            .collect();
        Board::new(Missing::new(loaded, warehouses), loaded, jobs, &needed)
    }

    #[test]
    fn two_connections_do_everything_once_and_rows_before_what_needs_them() {
        let mut board = board(&Loaded::default(), 3);
        let mut done = Vec::new();
        let mut running: [Option<Task>; 2] = [None, None];
        while !board.is_done() {
            for (connection, task) in running.iter_mut().enumerate() {
                if let Some(task) = task.take() {
                    board.done(task);
                    done.push(task);
                }
                *task = board.next(connection);
                if let Some(Task::Job(job)) = task
                    && board.jobs[*job].kind == Kind::Vacuum
                {
                    assert!(!board.is_writing());
                }
            }
            assert!(running.iter().any(Option::is_some) || board.is_done());
        }
        let mut once = done.clone();
        once.dedup();
        assert_eq!(done.len(), 1 + 3 * 4 + 10 + 8 + 9);
        assert_eq!(once.len(), done.len());
    }

    #[test]
    fn what_is_there_is_not_done_again() {
        let mut loaded = Loaded::default();
        loaded.add("item", 0, 100_000);
        loaded.add("warehouse", 1, 500_000);
        for part in ["orders", "stock", "customers"] {
            loaded.add(part, 2, 100_000);
        }
        loaded.add("orders", 3, 300_000);
        let missing = Missing::new(&loaded, 3);
        assert_eq!(
            (missing.warehouses(), missing.begun(), missing.lowest()),
            (2, 2, 2)
        );
        assert_eq!(missing.rows(Table::Stock), 100_000);
        let mut board = board(&loaded, 3);
        assert_eq!(board.next(0), Some(Task::Unit(Part::Whole, 2)));
        assert_eq!(board.next(0), Some(Task::Unit(Part::Stock, 3)));
        assert_eq!(board.next(0), Some(Task::Unit(Part::Customers, 3)));
    }
}
