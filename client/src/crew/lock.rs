//! The lock of a schema, which one load, drop or run has at a time.

use tokio_postgres::Client;
use workload::schema::lock;

use super::LoadError;
use crate::connect::{BEGIN_SAFELY, Connector, Session};
use crate::load::query::{names, rows, text};

/// A session that holds the schema's lock as long as it lives.
///
/// # Errors
/// [`LoadError::Refused`] when somebody else is at work there.
pub(crate) async fn hold(connector: &Connector, schema: &str) -> Result<Session, LoadError> {
    let leader = Session::open(connector, |_| {}).await?;
    leader.batch_execute(BEGIN_SAFELY).await?;
    lock_schema(&leader, schema).await?;
    Ok(leader)
}

/// Takes the leader's lock until the caller's transaction ends.
///
/// # Errors
/// [`LoadError::Refused`] when somebody else is at work there.
pub(crate) async fn lock_schema(client: &Client, schema: &str) -> Result<(), LoadError> {
    let key = lock::key(lock::LEADER, schema);
    let sql = format!("SELECT pg_catalog.pg_try_advisory_xact_lock({key})");
    let answer = rows(client, &sql).await?;
    if answer.first().is_some_and(|row| text(row, 0) == "t") {
        return Ok(());
    }
    let pid = names(client, &lock::holder(schema))
        .await?
        .into_iter()
        .next();
    let by = pid
        .as_ref()
        .map_or_else(String::new, |pid| format!(" in process {pid}"));
    Err(LoadError::Refused {
        found: format!("another load, drop or run of schema \"{schema}\" is going on{by}"),
        hint: lock::IN_USE_HINT.to_owned(),
    })
}
