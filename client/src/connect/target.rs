//! Whether a server is of the kind that `target_session_attrs` asks for.

use tokio_postgres::{Error, SimpleQueryMessage};

use super::settings::Target;
use crate::wire::Link;

/// Whether the server is what is asked for.
///
/// # Errors
/// In words why it is not, or why that is not known.
pub(super) async fn check(link: &mut Link, target: Target) -> Result<(), String> {
    let (want, found, what) = match target {
        Target::Any => return Ok(()),
        Target::ReadWrite => (false, is_read_only(link).await, "is read-only"),
        Target::ReadOnly => (true, is_read_only(link).await, "is not read-only"),
        Target::Primary => (false, is_standby(link).await, "is a standby"),
        Target::Standby | Target::PreferStandby => {
            (true, is_standby(link).await, "is not a standby")
        }
    };
    match found {
        Ok(found) if found == want => Ok(()),
        Ok(_) => Err(format!(
            "the server {what}, which target_session_attrs excludes"
        )),
        Err(error) => Err(format!("cannot ask the server whether it {what}: {error}")),
    }
}

async fn is_read_only(link: &mut Link) -> Result<bool, Error> {
    let told = link.parameter("default_transaction_read_only") == Some("on");
    match link.parameter("in_hot_standby") {
        Some(standby) => Ok(told || standby == "on"),
        // Before PostgreSQL 14, and through many a pooler, one has to ask.
        None => ask(link, "SHOW transaction_read_only").await,
    }
}

async fn is_standby(link: &mut Link) -> Result<bool, Error> {
    match link.parameter("in_hot_standby") {
        Some(standby) => Ok(standby == "on"),
        None => ask(link, "SELECT pg_catalog.pg_is_in_recovery()").await,
    }
}

async fn ask(link: &mut Link, sql: &str) -> Result<bool, Error> {
    let messages = link
        .drive(async |client| client.simple_query(sql).await)
        .await?;
    let answer = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.try_get(0).ok().flatten(),
        _ => None,
    });
    Ok(matches!(answer, Some("on" | "t")))
}
