//! Statements that take their time: notices are shown as they come, Ctrl-C cancels.

use tokio::signal::unix::{SignalKind, signal};
use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::error::SqlState;

use super::CliError;
use crate::connect::{Notice, Session};

/// Shows what the server says while it works: its progress as it is, anything worse with its severity.
pub(super) fn show(notice: Notice) {
    match notice.severity() {
        "NOTICE" | "INFO" => tell!("  {}", notice.message()),
        severity => tell!("{severity}:  {}", notice.message()),
    }
}

/// Runs a statement to its end, or cancels it when the user presses Ctrl-C.
pub(super) async fn run(session: &Session, sql: &str) -> Result<Vec<SimpleQueryMessage>, CliError> {
    let query = session.simple_query(sql);
    tokio::pin!(query);
    tokio::select! {
        result = &mut query => return result.map_err(explain),
        () = interrupted() => {}
    }
    tell!("cancelling ...");
    session.cancel().await?;
    // The server's answer: it has stopped, unless it was just ready.
    let _ = query.await;
    Err(CliError::Interrupted)
}

/// Waits for Ctrl-C or SIGTERM.
async fn interrupted() {
    let terminated = async {
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}

fn explain(error: tokio_postgres::Error) -> CliError {
    match error.code() {
        Some(&SqlState::UNDEFINED_FUNCTION) => CliError::NoExtension,
        _ => error.into(),
    }
}

/// Refuses a server that takes no writes, with what would mend it; `why` tells what is to be written.
pub(super) async fn refuse_read_only(session: &Session, why: &'static str) -> Result<(), CliError> {
    let sql = "SELECT pg_catalog.current_setting('transaction_read_only'), \
               pg_catalog.pg_is_in_recovery(), current_user::text";
    let row = session.query_typed_one(sql, &[]).await?;
    if row.get::<_, &str>(0) == "off" {
        return Ok(());
    }
    let mend = if row.get(1) {
        "it is a standby: go to its primary (target_session_attrs=primary finds it)".to_owned()
    } else {
        let role: String = row.get(2);
        format!("default_transaction_read_only is on for the role \"{role}\"")
    };
    Err(CliError::ReadOnly { why, mend })
}
