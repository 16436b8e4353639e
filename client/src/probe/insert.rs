//! The same insert in the server and from the client, and what a commit takes.

use std::time::Duration;

use super::ProbeError;
use tokio_postgres::error::SqlState;

use super::calls::{self, Effort};
use super::limits::Limits;
use super::report::{Commit, Insert, Part};
use super::times::{Figures, Times};
use super::workspace::{TableKind, Workspace};
use crate::connect::Connector;
use crate::wire::Link;

const WATCH: &str = include_str!("../../../sql/probe/watch.sql");
const LOOP: &str = include_str!("../../../sql/probe/loop.sql");
const INSERT: &str = include_str!("../../../sql/probe/insert.sql");
const GAPS: &str = include_str!("../../../sql/probe/gaps.sql");
const EMPTY: &str = "TRUNCATE {schema}.probe";

/// (a) and (b): one insert after the other, first in the server, then from the client. Each in one
/// transaction: what a commit takes is another question ([`commits`]).
///
/// # Errors
/// What the server says.
pub async fn measure(
    link: &mut Link,
    workspace: &Workspace,
    effort: Effort,
) -> Result<Insert, ProbeError> {
    let looping = workspace.fill(LOOP);
    let looping = looping.replace("{samples}", &effort.samples.to_string());
    // One transaction: nothing is set for longer, which a pooler would hand to others.
    match calls::run(link, &format!("{WATCH}; {looping}")).await {
        // Not every system can watch a client.
        Err(ProbeError::Server(error))
            if error.code() == Some(&SqlState::INVALID_PARAMETER_VALUE) =>
        {
            calls::run(link, &looping).await?;
        }
        done => done?,
    }
    let server = gaps(link, workspace).await?;
    calls::run(link, &workspace.fill(EMPTY)).await?;

    calls::run(link, "BEGIN").await?;
    let client = calls::prepared(link, &workspace.fill(INSERT), effort).await?;
    calls::run(link, "COMMIT").await?;
    let gap = gaps(link, workspace).await?;
    calls::run(link, &workspace.fill(EMPTY)).await?;

    let figures = |times: Times| times.figures().ok_or(ProbeError::NoCall(effort.time));
    let (server, client, gap): (Figures, Figures, Figures) =
        (figures(server)?, figures(client)?, figures(gap)?);
    Ok(Insert {
        table: workspace.kind(),
        server,
        client,
        gap,
        round_trip_mean_us: client.mean_us - server.mean_us,
        round_trip_median_us: client.p50_us - server.p50_us,
    })
}

async fn gaps(link: &mut Link, workspace: &Workspace) -> Result<Times, ProbeError> {
    let sql = workspace.fill(GAPS);
    let rows = link.drive(async |client| client.query_typed(&sql, &[]).await);
    let rows = rows.await;
    let rows = rows.map_err(|error| calls::lost(link, error))?;
    let mut times = Times::default();
    for row in rows {
        let us: i64 = row.try_get(0)?;
        times.record(Duration::from_micros(us.unsigned_abs()));
    }
    Ok(times)
}

/// (d): transactions of one insert, with synchronous_commit on and off, each sent as text in one message.
///
/// # Errors
/// What the server says.
pub async fn commits(
    link: &mut Link,
    workspace: &Workspace,
    limits: &Limits,
    connector: &Connector,
    effort: Effort,
) -> Result<Part<Commit>, ProbeError> {
    if workspace.kind() != TableKind::Ordinary {
        return Ok(Part::skipped(format!(
            "a commit of rows in a table that is {} waits for no disk; for an ordinary one: \
             GRANT CREATE ON DATABASE \"{}\" TO \"{}\"",
            workspace.kind(),
            connector.dbname(),
            connector.user()
        )));
    }
    let insert = workspace.fill(INSERT);
    let mut measured = Vec::new();
    for setting in ["on", "off"] {
        // For the transaction alone: a pooler would hand the session's settings to others.
        let transaction = format!("SET LOCAL synchronous_commit = {setting}; {insert}");
        let times = calls::simple(link, &transaction, effort).await?;
        measured.push(times.figures().ok_or(ProbeError::NoCall(effort.time))?);
    }
    Ok(Part::Measured(Commit {
        fsync: limits.fsync,
        on: measured[0],
        off: measured[1],
    }))
}
