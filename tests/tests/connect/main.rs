//! How the client connects: against a server with TLS on a loopback address of its own, through several
//! hosts, by files and variables, and through PgBouncer.

mod bouncer;
mod files;
mod hosts;
mod passwords;
mod probe;
mod secure;
mod server;

use std::process::Command;

use tests::sql;
use tpcc::connect::{ConnectArgs, ConnectError, Session};

/// A session by a connection string.
async fn open(text: &str) -> Result<Session, ConnectError> {
    let args = ConnectArgs {
        dbname: Some(text.to_owned()),
        ..ConnectArgs::default()
    };
    Session::open(&args.connector()?, |_| {}).await
}

/// A session that must come about.
async fn must(text: &str) -> Session {
    match open(text).await {
        Ok(session) => session,
        Err(error) => panic!("{text}\n{error}"),
    }
}

/// Why none comes about, which must say this.
async fn refused(text: &str, told: &str) -> ConnectError {
    let Err(error) = open(text).await else {
        panic!("connects: {text}")
    };
    assert!(error.to_string().contains(told), "{text}\n{error}");
    error
}

/// Whether this session is under TLS, as the server sees it.
async fn is_under_tls(session: &Session) -> bool {
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    sql::value(session, sql).await == "t"
}

/// Exit status and what was said on standard error.
fn run(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}
