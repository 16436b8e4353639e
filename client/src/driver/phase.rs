//! How far a run is, as all of its threads see it.

use std::time::Instant;

use tokio::sync::watch;

/// How far the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Connections are being opened.
    Connecting,
    /// Transactions run.
    Running(Schedule),
    /// No transaction is begun any more.
    Stopping,
}

/// The moments of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// When the first transactions are due.
    pub epoch: Instant,
    /// When the figures begin.
    pub measured_from: Instant,
    /// When no transaction is begun any more.
    pub end: Instant,
}

/// Tells the phase to everybody.
pub type Announcer = watch::Sender<Phase>;

/// One who listens to it.
#[derive(Debug, Clone)]
pub struct Listener(watch::Receiver<Phase>);

impl Listener {
    /// Listens to an announcer.
    pub fn new(announcer: &Announcer) -> Listener {
        Listener(announcer.subscribe())
    }

    /// Waits for the start; none when the run ends before.
    pub async fn start(&mut self) -> Option<Schedule> {
        let phase = self
            .0
            .wait_for(|phase| *phase != Phase::Connecting)
            .await
            .ok()?;
        match *phase {
            Phase::Running(schedule) => Some(schedule),
            _ => None,
        }
    }

    /// Whether no transaction is to be begun any more.
    pub fn is_stopping(&self) -> bool {
        *self.0.borrow() == Phase::Stopping || self.0.has_changed().is_err()
    }

    /// Waits until no transaction is to be begun any more.
    pub async fn stopping(&mut self) {
        // An announcer that is gone announces the end.
        let _ = self.0.wait_for(|phase| *phase == Phase::Stopping).await;
    }
}
