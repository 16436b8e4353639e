//! `tpcc scan` and `scan_run`: the table, the degrees, and that nothing of it stays behind.

mod load;
mod refusals;
mod run;
mod server;

use std::process::{Child, Command, Output, Stdio};

use tests::{Cluster, Connection, Database, sql};

/// A database and the client in it, as a role.
struct Place<'a> {
    database: Database<'a>,
    role: String,
}

impl<'a> Place<'a> {
    /// A database whose owner is an ordinary role, which makes its schemas itself.
    async fn new(cluster: &'a Cluster) -> Place<'a> {
        let database = cluster.fresh_empty_database().await;
        let role = cluster.fresh_role().await;
        let sql = format!("ALTER DATABASE {} OWNER TO {role}", database.name());
        sql::run(&*cluster.witness().await, &sql).await;
        Place { database, role }
    }

    fn command(&self, args: &[&str]) -> Command {
        let cluster = self.database.cluster();
        let mut command = cluster.tpcc(self.database.name(), &self.role);
        command.arg("scan").args(args).stdin(Stdio::null());
        command
    }

    fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("tpcc starts")
    }

    fn succeeds(&self, args: &[&str]) -> String {
        let (status, said) = said(self.command(args).output().expect("tpcc starts"));
        assert_eq!(status, Some(0), "{args:?}: {said}");
        said
    }

    fn fails(&self, args: &[&str], status: i32, words: &[&str]) {
        let (found, said) = said(self.command(args).output().expect("tpcc starts"));
        assert_eq!(found, Some(status), "{args:?}: {said}");
        assert_says(&said, words);
    }

    async fn connect(&self) -> Connection {
        self.database.connect().await
    }
}

fn assert_says(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "it does not say \"{word}\": {said}");
    }
    assert!(!said.contains("panicked"), "{said}");
}

fn said(output: Output) -> (Option<i32>, String) {
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// How a process ended, waited for while the others go on.
async fn end_of(child: Child) -> (Option<i32>, String) {
    let wait = move || said(child.wait_with_output().expect("tpcc ends"));
    tokio::task::spawn_blocking(wait).await.expect("no panic")
}

/// All rows of a table, in no order.
async fn digest(client: &Connection, schema: &str) -> Vec<String> {
    let schema = sql::ident(schema);
    let sql = format!(
        "SELECT count(*), count(DISTINCT id), sum(hashtextextended(id::text, 0)), \
                (SELECT sum(matching) FROM {schema}.scan_load), \
                count(*) FILTER (WHERE right(id::text, 4) = '1010') \
         FROM {schema}.scan_bits"
    );
    sql::table(client, &sql).await.remove(0)
}
