//! What was done to break runs, loads and reports, and what they say now.

use std::io::Read;

use super::*;

/// How long something may take to happen.
const LIMIT: Duration = Duration::from_secs(30);

fn verb(database: &Database<'_>, arguments: &[&str]) -> Ended {
    let mut command = database.cluster().tpcc(database.name(), "postgres");
    command.args(arguments).output().unwrap().into()
}

#[tokio::test]
async fn rows_that_were_loaded_and_are_gone_are_told_by_the_load() {
    for flavour in ["native", "plpgsql"] {
        for harm in ["DROP TABLE tpcc.history", "TRUNCATE tpcc.history"] {
            let database = loaded(1).await;
            let client = database.connect().await;
            sql::run(&client, harm).await;
            drop(client);
            let ended = verb(&database, &["load", "--flavour", flavour]);
            ended
                .is(1)
                .says(&["history was loaded, and is", "Begin anew"]);
            discard(database).await;
        }
    }
}

#[tokio::test]
async fn a_warehouse_that_is_there_in_part_is_mended_by_the_command_that_is_told() {
    for flavour in ["native", "plpgsql"] {
        let database = Cluster::shared().fresh_database().await;
        let client = database.connect().await;
        verb(&database, &["load", "--flavour", flavour]).is(0);
        // As a load of three warehouses leaves it that was stopped: a part of the second one.
        let torn = "INSERT INTO tpcc.tpcc_load_part (part, w_id, rows, seconds) \
             VALUES ('stock', 2, 100000, 1); \
             INSERT INTO tpcc.stock SELECT (s).* FROM (SELECT jsonb_populate_record(s, '{\"s_w_id\": 2}') AS s \
             FROM tpcc.stock AS s) AS copied";
        sql::run(&client, torn).await;
        for mode in ["udf", "server"] {
            let ended = run(&database, &["-M", mode, "-T", "1s", "-P", "0"]);
            ended
                .is(1)
                .says(&["in part only", "tpcc load --warehouses 2"]);
        }
        let call = "SELECT * FROM tpcc_run('1 s')";
        sql::fails(&client, call, "TC003", &["in part only"]).await;
        // Also fewer would do: what was begun is brought to its end.
        verb(
            &database,
            &["load", "--flavour", flavour, "--warehouses", "1"],
        )
        .is(0);
        verb(&database, &["check"]).is(0);
        let warehouses = "SELECT count(*) FROM tpcc.warehouse";
        assert_eq!(sql::number(&client, warehouses).await, 2);
        drop(client);
        discard(database).await;
    }
}

#[tokio::test]
async fn a_run_whose_guard_is_lost_keeps_drops_out_again() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let mut command = tpcc(&database, &["-T", "60s", "-c", "2", "-P", "0"]);
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let guarded = async || sql::number(&client, held).await > 0;
    eventually("the guard", LIMIT, guarded).await;
    let pid = sql::number(&client, &held.replace("count(*)", "max(pid)")).await;
    sql::run(&client, &format!("SELECT pg_terminate_backend({pid})")).await;
    let again = format!("{held} AND pid <> {pid}");
    eventually("the guard again", LIMIT, async || {
        sql::number(&client, &again).await > 0
    })
    .await;
    verb(&database, &["drop", "--yes"])
        .is(1)
        .says(&["another load, drop or run", "Ctrl-C where it runs"]);
    signal(&child, "INT");
    let ended: Ended = child.wait_with_output().unwrap().into();
    ended.is(0);
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn limits_of_the_role_end_no_load_no_check_and_no_run() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    let of_17 =
        sql::number(&client, "SELECT current_setting('server_version_num')").await >= 170_000;
    let mut options = "-c statement_timeout=100ms -c lock_timeout=10ms -c idle_in_transaction_session_timeout=100ms \
                       -c default_transaction_isolation=serializable"
        .to_owned();
    if of_17 {
        options.push_str(" -c transaction_timeout=100ms");
    }
    let limited = |arguments: &[&str]| {
        let mut command = database.cluster().tpcc(database.name(), "postgres");
        command.env("PGOPTIONS", &options).args(arguments);
        let ended: Ended = command.output().unwrap().into();
        ended.is(0);
    };
    for flavour in ["native", "plpgsql"] {
        limited(&["load", "--flavour", flavour, "--schema", flavour, "-c", "2"]);
        limited(&[
            "run",
            "--flavour",
            flavour,
            "--schema",
            flavour,
            "-M",
            "all",
            "-T",
            "1s",
            "-c",
            "2",
            "-P",
            "0",
        ]);
        limited(&["check", "--schema", flavour]);
    }
    limited(&["tpcb", "load", "-c", "2"]);
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn a_name_with_a_line_feed_is_a_name() {
    let database = Cluster::shared().fresh_database().await;
    for flavour in ["native", "plpgsql"] {
        let schema = format!("a\nb {flavour}");
        for arguments in [
            &["load", "--flavour", flavour, "-c", "2"][..],
            &[
                "run",
                "--flavour",
                flavour,
                "-M",
                "all",
                "-T",
                "1s",
                "-c",
                "2",
                "-P",
                "0",
            ],
            &["check"],
            &["drop", "--yes"],
        ] {
            verb(&database, &[arguments, &["--schema", &schema]].concat()).is(0);
        }
    }
    verb(&database, &["tpcb", "load", "--schema", "c\nd", "-c", "2"]).is(0);
    discard(database).await;
}

#[tokio::test]
async fn a_native_load_that_is_terminated_says_how_to_go_on() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    let mut command = database.cluster().tpcc(database.name(), "postgres");
    command.args([
        "load",
        "--flavour",
        "native",
        "--warehouses",
        "8",
        "-c",
        "1",
    ]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let loading = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND query LIKE '%tpcc_load(%' AND state = 'active' AND pid <> pg_backend_pid()";
    eventually("the load", LIMIT, async || {
        sql::number(&client, loading).await > 0
    })
    .await;
    signal(&child, "TERM");
    let mut told = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut told)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{told}");
    assert!(
        told.contains("the same command goes on from there"),
        "{told}"
    );
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn a_damaged_document_is_refused_and_a_foreign_one_obeys_nobody() {
    let database = loaded(1).await;
    let json = file("damaged");
    let path = json.to_str().unwrap();
    run(&database, &["-T", "1s", "-P", "0", "--json", path]).is(0);
    let whole: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let shown = |change: &dyn Fn(&mut serde_json::Value)| -> Ended {
        let mut document = whole.clone();
        change(&mut document);
        std::fs::write(&json, document.to_string()).unwrap();
        client().args(["report", path]).output().unwrap().into()
    };
    shown(&|document| document["types"] = serde_json::json!([]))
        .is(1)
        .says(&["0 transaction types"]);
    let obeyed = shown(&|document| {
        document["total"]["name"] = "\u{1b}[31mred".into();
        document["errors"] = serde_json::json!([{"sqlstate": "X\u{1b}[2J", "count": 1, "first_message": "\u{1b}]0;t\u{7}"}]);
    });
    obeyed.is(0);
    assert!(!obeyed.stdout.contains('\u{1b}'), "{:?}", obeyed.stdout);
    std::fs::remove_file(&json).unwrap();
    discard(database).await;
}
