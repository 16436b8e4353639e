//! The connection of a station: opened and made ready, measured, lost and opened again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use workload::result::Mode;

use super::{Station, micros};
use crate::connect::ConnectError;
use crate::driver::desk::Loss;
use crate::driver::hold::lift_timeouts;
use crate::driver::mode::{
    Executor, ScriptCall, TerminalCall, TransactionError, pooler_hint, set_isolation,
};
use crate::driver::phase::Schedule;
use crate::driver::round_trip::RoundTrip;
use crate::wire::Link;

/// The pause before a lost connection is opened again doubles from this on.
const FIRST_RECONNECT_PAUSE: Duration = Duration::from_millis(20);
/// And is no longer than this.
const LAST_RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// Why a station could not begin.
#[derive(Debug, thiserror::Error)]
pub enum StationError {
    /// No connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server refused what the mode needs.
    #[error("{}", explain(.0))]
    Prepare(#[from] TransactionError),
}

/// A prepared statement that is there already was left by somebody else on a pooled connection.
fn explain(error: &TransactionError) -> String {
    match error.sqlstate().and_then(pooler_hint) {
        Some(hint) => format!("{error}\nHINT:  {hint}"),
        None => error.to_string(),
    }
}

/// An open connection with what was prepared on it.
pub(in crate::driver) struct Open {
    pub(in crate::driver) link: Link,
    pub(in crate::driver) work: Work,
    pub(in crate::driver) round_trip: RoundTrip,
}

/// Whose transactions go in batches.
pub(in crate::driver) enum BatchCall {
    /// TPC-C's.
    Tpcc(TerminalCall),
    /// Those of another workload.
    Script(ScriptCall),
}

/// How transactions are brought to the server.
pub(in crate::driver) enum Work {
    /// One after the other.
    Each(Executor),
    /// Many in one call.
    Batches(BatchCall),
}

impl Station {
    pub(super) async fn connect(&mut self) -> Result<(), StationError> {
        let mut link = self.plan.connector.open(self.plan.wire()).await?;
        let setup = self.plan.setup(self.number);
        let mode = self.plan.mode;
        let work = match mode {
            Mode::Server => {
                link.drive(async |client| {
                    lift_timeouts(client).await?;
                    set_isolation(client, &setup.isolation).await
                })
                .await
                .map_err(TransactionError::from)?;
                Work::Batches(match &setup.script {
                    Some(script) => {
                        BatchCall::Script(ScriptCall::new(Arc::clone(script), &setup.schema))
                    }
                    None => BatchCall::Tpcc(TerminalCall::new(&setup.schema)),
                })
            }
            _ => Work::Each(
                link.drive(async |client| Executor::new(mode, &setup, client).await)
                    .await?,
            ),
        };
        let mut round_trip = RoundTrip::new();
        round_trip
            .begin(&mut link)
            .await
            .map_err(TransactionError::from)?;
        let mut tally = self.desk.tally();
        tally.connections += 1;
        tally.tokens.push((self.number, link.cancel_token()));
        drop(tally);
        self.open = Some(Open {
            link,
            work,
            round_trip,
        });
        Ok(())
    }

    pub(super) async fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.account_bytes(&open.link);
            open.link.close().await;
            // It still counts as open: the last figures tell how many worked.
            let mut tally = self.desk.tally();
            tally.forget_token(self.number);
        }
    }

    fn account_bytes(&self, link: &Link) {
        let mut tally = self.desk.tally();
        tally.bytes.0 += link.meter().bytes_sent();
        tally.bytes.1 += link.meter().bytes_received();
    }

    /// Notes that the connection is gone, and why: what the server said last tells more than that the
    /// connection is closed.
    pub(super) fn lose(&mut self, error: Option<&TransactionError>) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        self.account_bytes(&open.link);
        let said = error.filter(|error| error.sqlstate().is_some());
        let reason = match (said, open.link.take_loss(), error) {
            (Some(said), ..) => said.message(),
            (None, Some(loss), _) => TransactionError::from(loss).message(),
            (None, None, Some(error)) => error.message(),
            (None, None, None) => "the server closed the connection".to_owned(),
        };
        let mut tally = self.desk.tally();
        tally.connections -= 1;
        tally.forget_token(self.number);
        if self.pending_loss.is_none() {
            self.pending_loss = Some(tally.losses.len());
            tally.losses.push(Loss {
                from: self.last_success,
                to: None,
                reason,
            });
        }
    }

    /// Whether there is a connection; a lost one is opened again, with growing pauses, until the run ends.
    pub(in crate::driver) async fn is_connected(&mut self, schedule: &Schedule) -> bool {
        if self.open.as_ref().is_some_and(|open| open.link.is_lost()) {
            self.lose(None);
        }
        let mut most = FIRST_RECONNECT_PAUSE;
        while self.open.is_none() {
            if self.listener.is_stopping() || Instant::now() >= schedule.end {
                return false;
            }
            let connecting = self.connect();
            let limited = tokio::time::timeout_at(schedule.end.into(), connecting).await;
            if matches!(limited, Ok(Ok(()))) {
                self.desk.tally().reconnects += 1;
                break;
            }
            let pause = most.mul_f64(self.rng.unit());
            self.wait_until((Instant::now() + pause).min(schedule.end))
                .await;
            most = (most * 2).min(LAST_RECONNECT_PAUSE);
        }
        true
    }

    /// Measures the round trip, about once a second. Not counted as load.
    pub(in crate::driver) async fn probe_if_due(&mut self, now: Instant) {
        let Some(open) = &mut self.open else { return };
        if !open.round_trip.is_due(now) {
            return;
        }
        if let Ok(length) = open.round_trip.probe(&mut open.link).await {
            self.desk.tally().round_trip.record(micros(length));
        }
    }
}
