//! Where the time of a round trip goes: server, protocol, network, client.
//!
//! All that is measured over one connection spins before it sleeps, for waking up costs as much as a
//! round trip on one machine; what the tool adds nevertheless is measured against an echo of its own
//! ([`floor`]) and shown beside the results.

mod calls;
mod error;
mod floor;
mod insert;
mod limits;
mod open;
mod report;
mod sweep;
mod times;
mod workspace;

use std::time::{Duration, SystemTime};

pub use error::ProbeError;
pub use report::{
    Commit, Connect, FORMAT_NAME, FORMAT_VERSION, Floor, Insert, Part, ProbeDocument, Protocol,
    Share, Sweep,
};
pub use sweep::{GAIN, Step};
pub use times::Figures;
pub use workspace::TableKind;

use calls::Effort;
use limits::{Limits, Room};
use workspace::Workspace;

use crate::connect::BEGIN_SAFELY;
use crate::connect::{Connector, Session};
use crate::wire::{Link, Wire};

/// How long a wait for an answer spins before the thread sleeps, over one connection: longer than a
/// round trip on one machine or in one zone.
const SPIN: Duration = Duration::from_millis(1);

/// What a probe does.
#[derive(Debug, Clone)]
pub struct Options {
    /// Calls a part at most.
    pub samples: u32,
    /// The longest time of a part.
    pub time: Duration,
    /// The most connections.
    pub connections: u32,
    /// Threads that drive them.
    pub threads: u32,
    /// The time of a step with more connections.
    pub step_time: Duration,
    /// The kind of table; else the best one that the role may make.
    pub table: Option<TableKind>,
    /// By how much each round trip is made longer.
    pub simulated_rtt: Duration,
}

impl Options {
    fn effort(&self) -> Effort {
        Effort {
            samples: self.samples.into(),
            time: self.time,
        }
    }

    /// How a connection travels that shares the processors with so many others.
    fn wire(&self, connections: u32) -> Wire {
        let processors = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        Wire {
            // Spinning takes a processor, and the server needs one too.
            spin: if connections < processors.max(2) {
                // Through what is held back too: a sleep would end late.
                SPIN + self.simulated_rtt
            } else {
                Duration::ZERO
            },
            simulated_rtt: self.simulated_rtt,
        }
    }
}

/// Measures everything, and leaves nothing behind; `interrupt` ends it early.
///
/// # Errors
/// [`ProbeError::Interrupted`]; no connection; what the server says where the probe cannot go on. What
/// the role or the server does not allow is no error: it is left out, with the reason.
pub async fn run(
    connector: &Connector,
    options: &Options,
    progress: &dyn Fn(&str),
    interrupt: impl Future<Output = ()>,
) -> Result<ProbeDocument, ProbeError> {
    let started_at = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let mut interrupt = std::pin::pin!(interrupt);
    let prepared = async {
        let session = Session::open(connector, |notice| {
            eprintln!("{}:  {}", notice.severity(), notice.message());
        })
        .await?;
        session.batch_execute(BEGIN_SAFELY).await?;
        let limits = Limits::ask(&session).await?;
        let table = workspace::choose(options.table, &limits, connector)?;
        if !limits.read_only {
            workspace::clear(&session).await?;
        }
        session.batch_execute("COMMIT").await?;
        let link = connector.open(options.wire(1)).await?;
        Ok::<_, ProbeError>((session, limits, table, link))
    };
    let (session, limits, table, mut link) = tokio::select! {
        prepared = prepared => prepared?,
        () = &mut interrupt => return Err(ProbeError::Interrupted),
    };
    // Not to be interrupted: a table whose making is under way could not be removed.
    let workspace = match table {
        Ok(kind) => Ok(Workspace::make(kind, &mut link, session, connector).await?),
        Err(reason) => {
            drop(session);
            Err(reason)
        }
    };
    let token = link.cancel_token();
    let measured = one_connection(connector, options, &limits, &workspace, &mut link, progress);
    let measured = tokio::select! {
        measured = measured => measured,
        () = &mut interrupt => {
            // Its connection is closed next; without this the statement would go on for a while.
            let _ = connector.cancel(&token).await;
            Err(ProbeError::Interrupted)
        }
    };
    match &measured {
        Err(ProbeError::Interrupted) => drop(link),
        _ => link.close().await,
    }
    let removed = match workspace {
        Ok(workspace) => workspace.remove().await,
        Err(_) => Ok(()),
    };
    let found = measured?;
    removed?;
    let more = async {
        let connect = open::measure(connector, options, progress).await;
        let sweep = sweep(connector, options, &limits.connections, progress).await?;
        Ok::<_, ProbeError>((connect, sweep))
    };
    let (connect, sweep) = tokio::select! {
        more = more => more?,
        () = &mut interrupt => return Err(ProbeError::Interrupted),
    };
    let simulated_us = options.simulated_rtt.as_secs_f64() * 1e6;
    let decomposition = match &found.insert {
        Part::Measured(insert) => Part::Measured(report::decompose(
            &found.floor,
            &found.protocol,
            insert,
            simulated_us,
        )),
        Part::Skipped { skipped } => Part::skipped(skipped.clone()),
    };
    Ok(ProbeDocument {
        format: FORMAT_NAME.into(),
        version: FORMAT_VERSION,
        written_by: format!("tpcc {}", env!("CARGO_PKG_VERSION")),
        started_at_unix_s: started_at.as_secs(),
        target: connector.target(),
        server_version: limits.version,
        simulated: !options.simulated_rtt.is_zero(),
        simulated_rtt_us: simulated_us,
        spin_us: options.wire(1).spin.as_secs_f64() * 1e6,
        floor: found.floor,
        protocol: found.protocol,
        insert: found.insert,
        commit: found.commit,
        connect,
        sweep,
        decomposition,
    })
}

/// What is found over one connection.
struct OneConnection {
    floor: Floor,
    protocol: Protocol,
    insert: Part<Insert>,
    commit: Part<Commit>,
}

async fn one_connection(
    connector: &Connector,
    options: &Options,
    limits: &Limits,
    workspace: &Result<Workspace, String>,
    link: &mut Link,
    progress: &dyn Fn(&str),
) -> Result<OneConnection, ProbeError> {
    let effort = options.effort();
    let figures = |times: times::Times| times.figures().ok_or(ProbeError::NoCall(options.time));
    progress("the tool's own floor");
    let floor = floor::measure(limits.unix_socket, options.wire(1), effort).await?;
    progress("statements with nothing to do");
    let protocol = Protocol {
        empty: figures(calls::simple(link, "", effort).await?)?,
        simple: figures(calls::simple(link, calls::SELECT_1, effort).await?)?,
        extended: figures(calls::extended(link, calls::SELECT_1, effort).await?)?,
        prepared: figures(calls::prepared(link, calls::SELECT_1, effort).await?)?,
    };
    let (insert, commit) = match workspace {
        Ok(workspace) => {
            progress("inserts in the server and from the client");
            let insert = insert::measure(link, workspace, effort).await?;
            progress("commits");
            let commit = insert::commits(link, workspace, limits, connector, effort).await?;
            (Part::Measured(insert), commit)
        }
        Err(reason) => (Part::skipped(reason), Part::skipped(reason)),
    };
    Ok(OneConnection {
        floor,
        protocol,
        insert,
        commit,
    })
}

async fn sweep(
    connector: &Connector,
    options: &Options,
    room: &Room,
    progress: &dyn Fn(&str),
) -> Result<Sweep, ProbeError> {
    let asked = options.connections;
    let plan = sweep::Plan {
        connections: asked.min(room.left),
        threads: options.threads,
        step_time: options.step_time,
    };
    let outcome = sweep::measure(connector, plan, |n| options.wire(n), progress).await;
    let limited_by = match outcome.ended {
        Some(error) if outcome.steps.is_empty() => return Err(error),
        Some(error) => Some(error.to_string()),
        None => (room.left < asked).then(|| room.reason.clone()),
    };
    Ok(Sweep {
        asked,
        limited_by,
        enough: sweep::enough(&outcome.steps),
        steps: outcome.steps,
    })
}
