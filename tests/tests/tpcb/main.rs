//! `tpcc tpcb`: pgbench and we run on each other's tables, loads survive what may come, and runs count what they do.

mod load;
mod run;

use std::process::Command;

use tests::{Cluster, Database, Ended, client as tpcc_alone, discard, eventually, signal, sql};

fn tpcb(database: &Database<'_>, arguments: &[&str]) -> Command {
    let mut command = database.cluster().tpcc(database.name(), "postgres");
    command.arg("tpcb").args(arguments);
    command
}

fn run(database: &Database<'_>, arguments: &[&str]) -> Ended {
    tpcb(database, arguments).output().unwrap().into()
}

fn pgbench(database: &Database<'_>, arguments: &[&str]) -> Ended {
    let mut command = database.cluster().pgbench(database.name());
    command.args(arguments).output().unwrap().into()
}

async fn empty() -> Database<'static> {
    Cluster::shared().fresh_empty_database().await
}
