//! What lies between the client's code and the server's socket: a [`Transport`] that counts round trips,
//! waits without sleeping where that is asked for and can delay answers, the [`Link`] that drives one
//! connection in the task that uses it, and a [`Timer`] finer than tokio's millisecond.

mod link;
mod timer;
mod transport;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

pub use link::Link;
pub use timer::Timer;
pub use transport::{Socket, Transport};

/// How a connection's bytes travel. The default is: as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wire {
    /// How long a wait for an answer spins before the thread sleeps. Waking up costs some 20 us, which
    /// spoils a measurement of round trips that take as long; spinning takes a processor.
    pub spin: Duration,
    /// By how much each answer is held back: a round trip that is longer by that. Simulated, and to be
    /// labelled so wherever a figure of it shows.
    pub simulated_rtt: Duration,
}

/// What went over a connection so far.
#[derive(Debug, Default)]
pub struct Meter {
    round_trips: AtomicU64,
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
}

impl Meter {
    /// A meter at zero, to be read while a connection goes on.
    pub fn new() -> Arc<Meter> {
        Arc::default()
    }

    /// How often something was sent after the last answer: statements that were sent together, without
    /// waiting for an answer in between, are one round trip.
    pub fn round_trips(&self) -> u64 {
        self.round_trips.load(Relaxed)
    }

    /// Bytes sent, with TLS as it goes over the wire.
    pub fn bytes_sent(&self) -> u64 {
        self.bytes_sent.load(Relaxed)
    }

    /// Bytes received, with TLS as it goes over the wire.
    pub fn bytes_received(&self) -> u64 {
        self.bytes_received.load(Relaxed)
    }

    /// Bytes sent and received.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes_sent() + self.bytes_received()
    }
}
