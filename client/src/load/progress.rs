//! How far a load is, how fast, and how long still.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use workload::schema::costs;
use workload::tpcc::Table;

use super::Shared;

/// Tells now and then.
pub(super) struct Progress {
    started: Instant,
    every: Duration,
    next: Instant,
    rows_expected: u64,
    cost_expected: u64,
    rows_done: Option<Instant>,
    last: (Instant, u64),
}

impl Progress {
    /// `expected`: what is to be written, a table, and what the jobs cost in nanoseconds.
    pub(super) fn new(started: Instant, every: Duration, expected: ([u64; 9], u64)) -> Progress {
        let (rows, jobs) = expected;
        let cost = |table: &Table| rows[*table as usize] * costs::write_ns(*table);
        Progress {
            started,
            every,
            next: started + every,
            rows_expected: rows.iter().sum(),
            cost_expected: jobs + Table::ALL.iter().map(cost).sum::<u64>(),
            rows_done: None,
            last: (started, 0),
        }
    }

    /// A line, when it is time for one.
    pub(super) fn look(&mut self, shared: &Shared) -> Option<String> {
        let now = Instant::now();
        let rows = shared.counters.rows.load(Relaxed);
        let writing = shared.board().is_writing();
        if !writing && self.rows_done.is_none() {
            self.rows_done = Some(now);
            let seconds = (now - self.started).as_secs_f64();
            if rows > 0 {
                return Some(format!(
                    "{rows} rows written in {seconds:.1} s ({:.0} rows/s); keys, indexes, vacuum",
                    rows as f64 / seconds.max(1e-3)
                ));
            }
        }
        if now < self.next {
            return None;
        }
        self.next = now + self.every;
        let done = shared.counters.cost.load(Relaxed) as f64;
        let part = (done / self.cost_expected.max(1) as f64).clamp(0.0, 0.999);
        let elapsed = (now - self.started).as_secs_f64();
        let left = if part > 0.0 {
            format!("about {:.0} s left", elapsed * (1.0 - part) / part)
        } else {
            "time left unknown".to_owned()
        };
        let percent = 100.0 * part;
        let (then, before) = std::mem::replace(&mut self.last, (now, rows));
        if !writing {
            let (done, all) = shared.board().jobs_done();
            return Some(format!(
                "{percent:.0}%, keys, indexes, vacuum: {done} of {all} done, {left}"
            ));
        }
        let rate = rows.saturating_sub(before) as f64 / (now - then).as_secs_f64().max(1e-3);
        Some(format!(
            "{percent:.0}%, writing rows: {rows} of about {}, {rate:.0} rows/s, {left}",
            self.rows_expected
        ))
    }

    /// The last line.
    pub(super) fn done(&self, shared: &Shared, now: Instant) -> String {
        let rows = shared.counters.rows.load(Relaxed);
        let seconds = (now - self.started).as_secs_f64();
        let (jobs, _) = shared.board().jobs_done();
        let written = self.rows_done.unwrap_or(now) - self.started;
        let written = written.as_secs_f64();
        format!(
            "done in {seconds:.1} s: {rows} rows {written:.1} s, {jobs} keys, indexes and vacuums {:.1} s",
            seconds - written
        )
    }
}
