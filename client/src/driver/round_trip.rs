//! How long a round trip is, on one connection, while the run goes on.

use std::time::{Duration, Instant};

use crate::wire::Link;

/// How often a connection is probed.
const EVERY: Duration = Duration::from_secs(1);
/// How many probes are made before the run.
const AT_FIRST: usize = 5;
/// From how many of the last probes the length is taken: those of ten seconds, the window over which BBR
/// takes the shortest round trip for that of the path (draft-ietf-ccwg-bbr, MinRTTFilterLen).
const KEPT: usize = 10;

/// The last probes of a connection: an empty query each, which is the least that a server can be asked.
#[derive(Debug)]
pub struct RoundTrip {
    last: [Duration; KEPT],
    count: usize,
    next: Instant,
    length_us: f64,
}

impl RoundTrip {
    /// No probe yet.
    pub fn new() -> RoundTrip {
        RoundTrip {
            last: [Duration::ZERO; KEPT],
            count: 0,
            next: Instant::now(),
            length_us: 0.0,
        }
    }

    /// Probes a new connection some times, so that the first transaction finds a length.
    ///
    /// # Errors
    /// What the server says.
    pub async fn begin(&mut self, link: &mut Link) -> Result<(), tokio_postgres::Error> {
        for _ in 0..AT_FIRST {
            self.probe(link).await?;
        }
        Ok(())
    }

    /// Whether the time has come for the next one.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Probes once.
    ///
    /// # Errors
    /// What the server says.
    pub async fn probe(&mut self, link: &mut Link) -> Result<Duration, tokio_postgres::Error> {
        let start = Instant::now();
        let answer = link
            .drive(async |client| client.batch_execute("").await)
            .await;
        let end = Instant::now();
        self.next = end + EVERY;
        answer?;
        let length = end - start;
        self.last[self.count % KEPT] = length;
        self.count += 1;
        let known = &self.last[..self.count.min(KEPT)];
        let shortest = known.iter().min().copied().unwrap_or(length);
        self.length_us = shortest.as_secs_f64() * 1e6;
        Ok(length)
    }

    /// The length of a round trip in microseconds: the shortest of the last probes. The longer ones waited
    /// for a processor of the server or of the client, which is no matter of the network.
    pub fn length_us(&self) -> f64 {
        self.length_us
    }
}
