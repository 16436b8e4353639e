//! The documents are right: each command of theirs runs, in the order of the page.

use std::process::{Command, Stdio};

use tests::Cluster;

const CLIENT: &str = include_str!("../../docs/client.md");
const SCAN: &str = include_str!("../../docs/scan.md");
const SEEDS: &str = include_str!("../../docs/seeds.md");
const README: &str = include_str!("../../README.md");

#[tokio::test]
async fn the_statements_of_the_readme_run() {
    let database = Cluster::shared().fresh_empty_database().await;
    let session = database.connect().await;
    let blocks = blocks(README, "sql");
    assert!(blocks.len() >= 6, "found {} blocks of SQL", blocks.len());
    for block in blocks {
        for statement in block.split_inclusive(";\n") {
            if let Err(error) = session.simple_query(statement).await {
                panic!("{}\nin: {statement}", tests::sql::describe(&error));
            }
        }
    }
}

#[tokio::test]
async fn the_statement_about_the_scan_runs() {
    let database = Cluster::shared().fresh_database().await;
    let folder = std::env::temp_dir();
    run(database.name(), &folder, "tpcc scan load --rows 1000");
    let session = database.connect().await;
    for statement in blocks(SCAN, "sql") {
        assert_eq!(tests::sql::rows(&session, statement).await.len(), 3);
    }
}

#[tokio::test]
async fn the_commands_of_the_documents_run() {
    for (page, least) in [(README, 4), (CLIENT, 20), (SCAN, 4), (SEEDS, 19)] {
        let database = Cluster::shared().fresh_database().await;
        let blocks = blocks(page, "sh");
        let lines = blocks.iter().flat_map(|block| block.lines());
        let commands: Vec<&str> = lines.filter(|line| line.starts_with("tpcc ")).collect();
        assert!(commands.len() >= least, "found {commands:?}");
        let folder = std::env::temp_dir().join(format!("tpcc-documents-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for command in commands {
            run(database.name(), &folder, command);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Runs a line as a shell does that finds the client under test, and the database in the variables.
fn run(database: &str, folder: &std::path::Path, line: &str) {
    let client = Cluster::shared().tpcc(database, "postgres");
    let binary = std::path::Path::new(client.get_program());
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut shell = Command::new("sh");
    for (name, value) in client.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let output = shell
        .args(["-ec", line])
        .env("PATH", path)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}\n{said}");
}

/// What stands between lines of three backquotes that are marked so.
fn blocks<'a>(page: &'a str, mark: &str) -> Vec<&'a str> {
    page.split(&format!("```{mark}\n"))
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect()
}
