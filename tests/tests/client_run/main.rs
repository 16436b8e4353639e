//! `tpcc run`: what it counts against what the database holds, and how it ends.

mod counts;
mod ends;
mod pace;
mod refusals;
mod shown;
mod trouble;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tests::{
    Cluster, Connection, Database, Ended, Shutdown, client, discard, eventually, loaded, signal,
    sql,
};
use workload::TransactionType;
use workload::result::{Flavour, Mode, ResultDocument, ResultSet};

/// A path for a file of one test.
fn file(name: &str) -> PathBuf {
    let name = format!("tpcc-run-{}-{name}", std::process::id());
    std::env::temp_dir().join(name)
}

fn tpcc(database: &Database<'_>, arguments: &[&str]) -> Command {
    let mut command = database.cluster().tpcc(database.name(), "postgres");
    command.arg("run").args(arguments).stdin(Stdio::null());
    command
}

fn run(database: &Database<'_>, arguments: &[&str]) -> Ended {
    tpcc(database, arguments).output().unwrap().into()
}

/// Runs with a result file, and gives what is in it.
fn documents(database: &Database<'_>, name: &str, arguments: &[&str]) -> Vec<ResultDocument> {
    let json = file(name);
    let mut command = tpcc(database, arguments);
    let ended: Ended = command.arg("--json").arg(&json).output().unwrap().into();
    ended.is(0);
    read(&json)
}

fn document(database: &Database<'_>, name: &str, arguments: &[&str]) -> ResultDocument {
    let mut documents = documents(database, name, arguments);
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

fn read(json: &Path) -> Vec<ResultDocument> {
    let text = std::fs::read_to_string(json).unwrap();
    std::fs::remove_file(json).unwrap();
    ResultSet::parse(&text).unwrap().results
}

/// What a run leaves: orders entered, payments taken, orders delivered.
async fn traces(session: &Connection, schema: &str) -> (i64, i64, i64) {
    let count = async |what: &str| sql::number(session, what).await;
    (
        count(&format!("SELECT sum(d_next_o_id) FROM {schema}.district")).await,
        count(&format!("SELECT count(*) FROM {schema}.history")).await,
        count(&format!(
            "SELECT count(*) FROM {schema}.orders WHERE o_carrier_id IS NOT NULL"
        ))
        .await,
    )
}

async fn consistent(session: &Connection, schema: &str) {
    let broken = format!("SELECT count(*) FROM tpcc_check('{schema}') WHERE NOT holds");
    assert_eq!(sql::number(session, &broken).await, 0);
}

/// Waits until no session of the client is left.
async fn nobody(database: &Database<'_>) {
    let witness = database.cluster().witness().await;
    let sessions = format!(
        "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = '{}' AND application_name = 'tpcc'",
        database.name()
    );
    sql::until(&witness, &sessions).await;
}

fn shares_add_up(document: &ResultDocument) {
    let client = document.client.as_ref().unwrap();
    for parts in client.parts.values().chain(&client.parts_total) {
        let sum = parts.network.share + parts.server.share + parts.rest.share;
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }
    let total = client.parts_total.unwrap();
    let means = total.network.times.mean_us + total.server.times.mean_us + total.rest.times.mean_us;
    let whole = document.total.service.mean_us;
    assert!((means / whole - 1.0).abs() < 1e-6, "{means} of {whole}");
}

/// Waits until a run has entered some orders, so that all of its connections are open.
async fn at_work(session: &Connection, before: i64) {
    let entered = format!("SELECT sum(d_next_o_id) > {before} + 20 FROM tpcc.district");
    sql::until(session, &entered).await;
}

async fn running(database: &Database<'_>, sessions: i64) {
    let witness = database.cluster().witness().await;
    let count = format!(
        "SELECT count(*) >= {sessions} FROM pg_stat_activity WHERE datname = '{}' \
         AND application_name = 'tpcc' AND query LIKE '%tpcc\\_%'",
        database.name()
    );
    sql::until(&witness, &count).await;
}

fn interrupt_if_running(child: &mut std::process::Child) {
    if child.try_wait().unwrap().is_none() {
        signal(child, "INT");
    }
}
