//! How far the load is, how fast, and how long still.

use std::time::{Duration, Instant};

/// Tells now and then.
pub(super) struct Progress {
    started: Instant,
    every: Duration,
    next: Instant,
    last: (Instant, i64),
}

impl Progress {
    pub(super) fn new(every: Duration) -> Progress {
        let started = Instant::now();
        Progress {
            started,
            every,
            next: started + every,
            last: (started, 0),
        }
    }

    /// A line, when it is time for one; `done` of `all` rows are written.
    pub(super) fn look(&mut self, done: i64, all: i64) -> Option<String> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        self.next = now + self.every;
        let (then, before) = std::mem::replace(&mut self.last, (now, done));
        let rate = (done - before).max(0) as f64 / (now - then).as_secs_f64().max(1e-3);
        let part = done as f64 / all.max(1) as f64;
        let left = if part > 0.0 {
            let elapsed = (now - self.started).as_secs_f64();
            format!("about {:.0} s left", elapsed * (1.0 - part) / part)
        } else {
            "time left unknown".to_owned()
        };
        let percent = 100.0 * part;
        Some(format!(
            "{percent:.0}%, writing rows: {done} of {all}, {rate:.0} rows/s, {left}"
        ))
    }
}
