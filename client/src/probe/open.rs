//! What it takes to open a connection, with and without TLS.

use std::time::{Duration, Instant};

use super::Options;
use super::report::{Connect, Part};
use super::times::{Figures, Times};
use crate::connect::{ConnectError, Connector};

/// Connections that are opened one after the other, at most.
const MOST: u64 = 100;
/// The time for it, at most.
const LONGEST: Duration = Duration::from_secs(2);

/// (f): opens and closes connections, one after the other.
pub async fn measure(connector: &Connector, options: &Options, progress: &dyn Fn(&str)) -> Connect {
    progress("connections without TLS");
    let plain = part(connector.with_tls(false), options).await;
    let tls = match connector.with_tls(true) {
        Ok(with_tls) => {
            progress("connections with TLS");
            part(Ok(with_tls), options).await
        }
        none => part(none, options).await,
    };
    Connect { plain, tls }
}

async fn part(connector: Result<Connector, String>, options: &Options) -> Part<Figures> {
    let connector = match connector {
        Ok(connector) => connector,
        Err(reason) => return Part::skipped(reason),
    };
    match times(&connector, options).await {
        Ok(times) => Part::of(times.figures()),
        Err(ConnectError::Refused { reason, .. }) => Part::skipped(reason),
        Err(error) => Part::skipped(error.to_string()),
    }
}

async fn times(connector: &Connector, options: &Options) -> Result<Times, ConnectError> {
    let wire = options.wire(1);
    let mut times = Times::default();
    let end = Instant::now() + options.time.min(LONGEST);
    while times.count() < MOST.min(options.samples.into()) {
        let start = Instant::now();
        let link = connector.open(wire).await?;
        times.record(start.elapsed());
        link.close().await;
        if Instant::now() > end {
            break;
        }
    }
    Ok(times)
}
