//! The client's command: what it prints where, and its exit status.

use std::process::{Command, Output};

use tests::{Cluster, Scratch, client, pg_config};
use tpcc::cluster::Binaries;

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn help_is_a_question_mark_and_wrong_usage_is_status_2() {
    let (status, stdout, _) = run(client().args(["check", "-?"]));
    assert_eq!(status, Some(0));
    assert!(stdout.contains("--host"), "{stdout}");
    let (status, stdout, stderr) = run(client().args(["check", "--no-such-flag"]));
    assert_eq!((status, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("--no-such-flag"), "{stderr}");
}

#[test]
fn no_connection_is_status_3() {
    let (status, _, stderr) = run(client().args(["check", "-h", "/nowhere", "-d", "shop"]));
    assert_eq!(status, Some(3));
    assert!(
        stderr.contains("cannot connect to database \"shop\" at /nowhere"),
        "{stderr}"
    );
}

#[tokio::test]
async fn a_database_without_data_is_told_how_to_get_it() {
    let database = Cluster::shared().fresh_empty_database().await;
    let mut command = Cluster::shared().tpcc(database.name(), "postgres");
    let (status, _, stderr) = run(command.arg("check"));
    assert_eq!(status, Some(1));
    assert!(stderr.contains("tpcc load --warehouses"), "{stderr}");
}

#[test]
fn the_demo_loads_runs_checks_and_leaves_a_server_that_can_be_looked_at() {
    let folder = Scratch::for_demo();
    let demo = |flags: &[&str]| {
        let mut command = client();
        command
            .arg("demo")
            .arg("--dir")
            .arg(folder.dir())
            .args(flags);
        run(command.arg("--pg-config").arg(pg_config()))
    };
    let (status, stdout, stderr) = demo(&[
        "--warehouses",
        "1",
        "--duration",
        "1s",
        "--connections",
        "2",
    ]);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("12 of 12 conditions hold"), "{stdout}");
    for word in [
        "statements",
        "pipelined",
        "udf",
        "mode server",
        "simulated",
        "round trip of one insert",
    ] {
        assert!(stdout.contains(word), "{word}: {stdout}");
    }
    assert!(stderr.contains("made by initdb"), "{stderr}");

    let reach = |verb: &str, port: &str| {
        let mut command = client();
        command.arg(verb).arg("-h").arg(folder.place().socket_dir());
        run(command.args(["-p", port, "-U", "postgres", "-d", "tpcc"]))
    };
    let port = tpcc::cluster::config::Config::get()
        .cluster
        .demo
        .port
        .to_string();
    let (status, stdout, _) = reach("check", &port);
    assert_eq!(status, Some(0), "{stdout}");

    break_a_sum(&folder, &port);
    let (status, stdout, stderr) = reach("check", &port);
    assert_eq!(status, Some(1));
    assert!(stdout.contains("BROKEN"), "{stdout}");
    assert!(stderr.contains("conditions do not hold"), "{stderr}");

    assert_eq!(demo(&["--stop"]).0, Some(0));
    assert_eq!(reach("check", &port).0, Some(3));
    assert_eq!(demo(&["--remove"]).0, Some(0));
    assert!(!folder.dir().exists());
    assert_eq!(demo(&["--remove"]).0, Some(1));
}

fn break_a_sum(folder: &Scratch, port: &str) {
    let psql = Binaries::from_pg_config(pg_config())
        .unwrap()
        .program("psql");
    let sql = "UPDATE tpcc.warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 1";
    let mut command = Command::new(psql);
    command.arg("-h").arg(folder.place().socket_dir());
    let (status, _, stderr) =
        run(command.args(["-p", port, "-U", "postgres", "-d", "tpcc", "-Xqc", sql]));
    assert_eq!(status, Some(0), "{stderr}");
}
