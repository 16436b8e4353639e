//! `tpcc tpcb`: pgbench and we run on each other's tables, loads survive what may come, and runs count what they do.

mod load;
mod run;

use std::process::{Command, Output};

use tests::{Cluster, Database, client as tpcc_alone, discard, eventually, sql};

/// What a command said and how it ended.
struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended {
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ended {
    fn is(self, status: i32) -> Ended {
        let (out, told) = (&self.stdout, &self.stderr);
        assert_eq!(self.status, Some(status), "{out}\n{told}");
        self
    }

    fn says(self, word: &str) -> Ended {
        let (out, told) = (&self.stdout, &self.stderr);
        assert!(
            out.contains(word) || told.contains(word),
            "no \"{word}\" in {out}\n{told}"
        );
        self
    }
}

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
