//! How far a load is, how fast, and how long still.

use std::time::{Duration, Instant};

use crate::report::grouped;

/// Tells now and then.
pub(super) struct Progress<'a> {
    started: Instant,
    every: Duration,
    next: Instant,
    last: (Instant, u64),
    what: &'a str,
    all: u64,
}

impl Progress<'_> {
    pub(super) fn new(every: Duration, what: &str, all: u64) -> Progress<'_> {
        let started = Instant::now();
        Progress {
            started,
            every,
            next: started + every,
            last: (started, 0),
            what,
            all,
        }
    }

    /// A line, when it is time for one, with so many rows written.
    pub(super) fn look(&mut self, done: u64) -> Option<String> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        self.next = now + self.every;
        let (then, before) = std::mem::replace(&mut self.last, (now, done));
        let rate = done.saturating_sub(before) as f64 / (now - then).as_secs_f64().max(1e-3);
        let part = done as f64 / self.all.max(1) as f64;
        let left = if part > 0.0 {
            let elapsed = (now - self.started).as_secs_f64();
            format!("about {:.0} s left", elapsed * (1.0 - part) / part)
        } else {
            "time left unknown".to_owned()
        };
        let number = |number: u64| grouped(&number.to_string());
        Some(format!(
            "{:.0}%, writing {}: {} of {}, {} rows/s, {left}",
            100.0 * part,
            self.what,
            number(done),
            number(self.all),
            number(rate as u64)
        ))
    }
}
