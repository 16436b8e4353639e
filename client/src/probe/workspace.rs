//! The table that a probe inserts into, and that it leaves nothing behind.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::limits::Limits;
use super::{ProbeError, calls};
use crate::connect::BEGIN_SAFELY;
use crate::connect::{Connector, Session};
use crate::wire::Link;

const CLEAR: &str = include_str!("../../../sql/probe/clear.sql");
const KEEP: &str = include_str!("../../../sql/probe/keep.sql");
const SCHEMA: &str = include_str!("../../../sql/probe/schema.sql");
const TEMPORARY: &str = include_str!("../../../sql/probe/temporary.sql");
const REMOVE: &str = include_str!("../../../sql/probe/remove.sql");

/// The first half of the advisory locks of all probes: "prob" in ASCII.
const LOCK_CLASS: i32 = 0x7072_6f62;
/// The comment by which a schema is known as a probe's.
const MARK: &str = "tpcc probe: the next probe removes what a killed one left";
/// Numbers of probes have at most nine digits.
const NUMBERS: u64 = 1_000_000_000;

/// What kind of table the probe inserts into: they differ in what is written to the WAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableKind {
    /// An ordinary table in a schema of the probe's own; WAL is written.
    Ordinary,
    /// An unlogged table in a schema of the probe's own.
    Unlogged,
    /// A temporary table, which needs no right to make a schema.
    Temp,
}

impl fmt::Display for TableKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            TableKind::Ordinary => "ordinary",
            TableKind::Unlogged => "unlogged",
            TableKind::Temp => "temporary",
        })
    }
}

/// The kind of table that is asked for, or else the best one that the role may make; `Err` is the reason
/// why there is none.
///
/// # Errors
/// [`ProbeError::MayNot`] when the role may not make the one asked for.
pub fn choose(
    asked: Option<TableKind>,
    limits: &Limits,
    connector: &Connector,
) -> Result<Result<TableKind, String>, ProbeError> {
    if limits.read_only {
        return Ok(Err(
            "the server is read-only (a standby, or default_transaction_read_only is on)".into(),
        ));
    }
    let grant = |right: &str| {
        format!(
            "GRANT {right} ON DATABASE \"{}\" TO \"{}\"",
            connector.dbname(),
            connector.user()
        )
    };
    match asked {
        Some(TableKind::Temp) if !limits.may_temp => Err(ProbeError::MayNot {
            what: "a temporary table",
            grant: grant("TEMPORARY"),
        }),
        Some(TableKind::Ordinary | TableKind::Unlogged) if !limits.may_create => {
            Err(ProbeError::MayNot {
                what: "a schema",
                grant: grant("CREATE"),
            })
        }
        Some(kind) => Ok(Ok(kind)),
        None if limits.may_create => Ok(Ok(TableKind::Ordinary)),
        None if limits.may_temp => Ok(Ok(TableKind::Temp)),
        None => Ok(Err(format!(
            "the role may make no table in this database ({})",
            grant("CREATE")
        ))),
    }
}

/// Removes what probes left that were killed.
///
/// # Errors
/// What the server says.
pub async fn clear(session: &Session) -> Result<(), ProbeError> {
    Ok(session.batch_execute(&filled(CLEAR, "", "")).await?)
}

/// A table for this probe alone.
pub struct Workspace {
    kind: TableKind,
    schema: String,
    /// In a schema of its own: the session whose open transaction says that this probe lives. It is a
    /// transaction's lock, so that it is there through a pooler too.
    keeper: Option<Session>,
    connector: Connector,
}

impl Workspace {
    /// Makes the table, in the connection that will use it.
    ///
    /// # Errors
    /// What the server says.
    pub async fn make(
        kind: TableKind,
        link: &mut Link,
        session: Session,
        connector: &Connector,
    ) -> Result<Workspace, ProbeError> {
        let mut workspace = Workspace {
            kind,
            schema: "pg_temp".into(),
            keeper: None,
            connector: connector.clone(),
        };
        if kind == TableKind::Temp {
            calls::run(link, TEMPORARY).await?;
            return Ok(workspace);
        }
        let number = lock(&session).await?;
        workspace.schema = format!("tpcc_probe_{number}");
        workspace.keeper = Some(session);
        let kind = match kind {
            TableKind::Unlogged => "UNLOGGED",
            _ => "",
        };
        match calls::run(link, &filled(SCHEMA, &workspace.schema, kind)).await {
            Ok(()) => Ok(workspace),
            Err(error) => {
                // Made or not: the connection may have broken after the commit.
                let _ = workspace.remove().await;
                Err(error)
            }
        }
    }

    /// What kind of table it is.
    pub fn kind(&self) -> TableKind {
        self.kind
    }

    /// A statement of the probe over this table.
    pub fn fill(&self, sql: &str) -> String {
        filled(sql, &self.schema, "")
    }

    /// Removes it. The connection that used it must be closed.
    ///
    /// # Errors
    /// What the server says: the next probe removes it then.
    pub async fn remove(mut self) -> Result<(), ProbeError> {
        let Some(keeper) = self.keeper.take() else {
            return Ok(());
        };
        let remove = format!("{}; COMMIT", self.fill(REMOVE));
        if keeper.batch_execute(&remove).await.is_ok() {
            return Ok(());
        }
        // The server may have been restarted in the meantime.
        let session = Session::open(&self.connector, |_| {}).await?;
        Ok(session.batch_execute(&self.fill(REMOVE)).await?)
    }
}

/// Opens the transaction that holds the lock of a number that no other probe has.
async fn lock(session: &Session) -> Result<u64, ProbeError> {
    session.batch_execute(BEGIN_SAFELY).await?;
    session.batch_execute(KEEP).await?;
    loop {
        let number = RandomState::new().hash_one(std::process::id()) % NUMBERS;
        let sql = format!("SELECT pg_catalog.pg_try_advisory_xact_lock({LOCK_CLASS}, {number})");
        let row = session.query_typed_one(&sql, &[]).await?;
        if row.try_get(0)? {
            return Ok(number);
        }
    }
}

fn filled(sql: &str, schema: &str, kind: &str) -> String {
    sql.replace("{schema}", schema)
        .replace("{kind}", kind)
        .replace("{mark}", MARK)
        .replace("{class}", &LOCK_CLASS.to_string())
}
