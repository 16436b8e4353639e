//! `tpcc oltp`: sysbench and we run on each other's tables, loads survive what may come, and runs count what they do.

mod load;
mod run;

use std::process::Command;
use std::time::Duration;

use tests::{Cluster, Database, Ended, discard, eventually, sql};

/// How long something may take to happen.
const LIMIT: Duration = Duration::from_secs(60);

fn oltp(database: &Database<'_>, arguments: &[&str]) -> Command {
    let mut command = database.cluster().tpcc(database.name(), "postgres");
    command.arg("oltp").args(arguments);
    command
}

fn run(database: &Database<'_>, arguments: &[&str]) -> Ended {
    oltp(database, arguments).output().unwrap().into()
}

/// sysbench itself, with two tables of 1,000 rows.
fn sysbench(database: &Database<'_>, arguments: &[&str]) -> Ended {
    let mut command = database.cluster().sysbench(database.name());
    command.args(["--tables=2", "--table-size=1000"]);
    command.args(arguments).output().unwrap().into()
}

async fn empty() -> Database<'static> {
    Cluster::shared().fresh_empty_database().await
}

async fn with_extension() -> Database<'static> {
    Cluster::shared().fresh_database().await
}
