//! Runs on tables that pgbench made.

use workload::result::{Mode, ResultSet};

use super::*;

fn file(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("tpcb-{}-{name}", std::process::id()))
}

#[tokio::test]
async fn every_mode_and_protocol_counts_what_the_tables_hold() {
    let database = Cluster::shared().fresh_database().await;
    pgbench(&database, &["-i", "-q", "-s", "1"]).is(0);
    let client = database.connect().await;
    let mut expected = 0;
    for protocol in ["simple", "extended", "prepared"] {
        let json = file(protocol);
        let path = json.to_str().unwrap();
        let arguments = [
            "run",
            "-M",
            "all",
            "--protocol",
            protocol,
            "-T",
            "1s",
            "-c",
            "2",
            "-P",
            "0",
            "--json",
            path,
        ];
        let shown = run(&database, &arguments);
        shown.is(0).shows(&["transactions/s"]);
        let set = ResultSet::parse(&std::fs::read_to_string(&json).unwrap()).unwrap();
        let modes: Vec<Mode> = set.results.iter().map(|document| document.mode).collect();
        assert_eq!(
            modes,
            [Mode::Statements, Mode::Pipelined, Mode::Udf, Mode::Server]
        );
        for document in &set.results {
            assert_eq!(document.config.workload, "tpcb");
            assert!(document.accounting.balanced);
            assert_eq!(document.total.counters.failed, 0, "{:?}", document.errors);
            assert!(document.total.counters.committed > 10);
            assert_eq!(document.types.len(), 3);
            expected += document.total.counters.committed as i64;
        }
        let trips = |index: usize| {
            let facts = set.results[index].client.as_ref().unwrap();
            (facts.round_trips_per_transaction * 10.0).round() / 10.0
        };
        assert_eq!(
            (trips(0), trips(1), trips(2)),
            (7.0, 1.0, 1.0),
            "{}",
            shown.stdout
        );
        let again: Ended = tpcc_alone().args(["report", path]).output().unwrap().into();
        assert_eq!(again.is(0).stdout, shown.stdout);
        std::fs::remove_file(&json).unwrap();
    }
    let history = sql::number(&client, "SELECT count(*) FROM pgbench_history").await;
    assert_eq!(history, expected);
    run(&database, &["check"]).is(0);
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn scripts_are_drawn_by_weight() {
    let database = empty().await;
    run(&database, &["load", "-c", "2"]).is(0);
    let json = file("weights");
    let path = json.to_str().unwrap();
    let arguments = [
        "run",
        "-b",
        "select-only@3,simple-update@1",
        "-M",
        "statements",
        "-T",
        "2s",
        "-c",
        "1",
        "-P",
        "0",
        "--json",
        path,
    ];
    run(&database, &arguments).is(0);
    let set = ResultSet::parse(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let types = &set.results[0].types;
    let (tpcb, simple, select) = (
        types[0].counters.committed,
        types[1].counters.committed,
        types[2].counters.committed,
    );
    assert_eq!(tpcb, 0);
    let share = select as f64 / (simple + select) as f64;
    assert!((0.65..0.85).contains(&share), "{simple} {select}");
    let facts = set.results[0].client.as_ref().unwrap();
    // BEGIN, two statements that write, one that reads, COMMIT; a select is one.
    assert_eq!(facts.statements.reads, simple + select);
    assert_eq!(facts.statements.writes, 2 * simple);
    assert_eq!(facts.statements.other, 2 * simple);
    std::fs::remove_file(&json).unwrap();
    run(
        &database,
        &["run", "-S", "-T", "1s", "-M", "udf", "-P", "0"],
    )
    .is(0)
    .shows(&["select-only"]);
    discard(database).await;
}

#[tokio::test]
async fn the_extension_runs_it_with_the_columns_of_tpcc_run() {
    let database = Cluster::shared().fresh_database().await;
    run(&database, &["load", "-c", "2", "--schema", "bank"]).is(0);
    let client = database.connect().await;
    let columns = |function: &str| {
        format!(
            "SELECT string_agg(name || ' ' || type::regtype, ', ' ORDER BY place) \
             FROM pg_proc, unnest(proargnames, proallargtypes, proargmodes) WITH ORDINALITY AS c (name, type, mode, place) \
             WHERE proname = '{function}' AND mode = 't'"
        )
    };
    let of_tpcc = sql::value(&client, &columns("tpcc_run")).await;
    assert_eq!(sql::value(&client, &columns("tpcb_run")).await, of_tpcc);
    let call = "SELECT transaction, committed, failed FROM tpcb_run('1 s', workers => 2, schema => 'bank', seed => 1)";
    let rows = sql::table(&client, call).await;
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(
        names,
        ["tpcb-like", "simple-update", "select-only", "total"]
    );
    assert_eq!(rows[0][1], rows[3][1]);
    let history = sql::number(&client, "SELECT count(*) FROM bank.pgbench_history").await;
    assert_eq!(history.to_string(), rows[3][1]);
    let fails = async |call: &str, sqlstate: &str, word: &str| {
        sql::fails(&client, call, sqlstate, &[word]).await;
    };
    fails(
        "SELECT * FROM tpcb_run(schema => 'nowhere')",
        "42P01",
        "nowhere",
    )
    .await;
    fails(
        "SELECT * FROM tpcb_run(builtin => 'x')",
        "22023",
        "tpcb-like",
    )
    .await;
    sql::run(&client, "TRUNCATE bank.pgbench_branches").await;
    fails(
        "SELECT * FROM tpcb_run(schema => 'bank')",
        "TC003",
        "0 rows",
    )
    .await;
    drop(client);
    run(&database, &["check", "--schema", "bank"])
        .is(1)
        .says(&["is empty"]);
    discard(database).await;
}

#[tokio::test]
async fn what_is_missing_is_told_with_what_makes_it() {
    let database = empty().await;
    run(&database, &["run", "-T", "1s"])
        .is(1)
        .says(&["tpcc tpcb load --scale 1"]);
    run(&database, &["check"]).is(1).says(&["or pgbench -i"]);
    run(&database, &["load", "-c", "2"]).is(0);
    let client = database.connect().await;
    // Of an account that is gone the transaction says so.
    sql::run(&client, "DELETE FROM pgbench_accounts").await;
    for mode in ["statements", "pipelined", "udf"] {
        run(&database, &["run", "-M", mode, "-T", "1s", "-P", "0"])
            .is(1)
            .says(&["account"])
            .says(&["does not exist"]);
    }
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn mode_server_needs_no_extension() {
    let database = empty().await;
    run(&database, &["load", "-c", "2", "--schema", "o'bank"]).is(0);
    let client = database.connect().await;
    let json = file("batches");
    let path = json.to_str().unwrap();
    let arguments = [
        "run",
        "-M",
        "server",
        "--schema",
        "o'bank",
        "-b",
        "tpcb-like@1,simple-update@1,select-only@2",
        "-T",
        "2s",
        "-R",
        "200",
        "-c",
        "2",
        "-P",
        "0",
        "--json",
        path,
    ];
    run(&database, &arguments).is(0).shows(&["select-only"]);
    let set = ResultSet::parse(&std::fs::read_to_string(&json).unwrap()).unwrap();
    std::fs::remove_file(&json).unwrap();
    let types = &set.results[0].types;
    let committed = |index: usize| types[index].counters.committed as i64;
    assert!((0..3).all(|index| committed(index) > 10), "{types:?}");
    let history = sql::number(&client, "SELECT count(*) FROM \"o'bank\".pgbench_history").await;
    assert_eq!(history, committed(0) + committed(1));
    run(&database, &["check", "--schema", "o'bank"]).is(0);
    // Of an account that is gone the transaction says so.
    sql::run(&client, "DELETE FROM \"o'bank\".pgbench_accounts").await;
    for script in ["tpcb-like", "select-only"] {
        let gone = [
            "run", "-M", "server", "--schema", "o'bank", "-b", script, "-T", "1s", "-P", "0",
        ];
        // They are counted, or end the run where no transaction has succeeded yet.
        let ended = run(&database, &gone);
        let all = format!("{}{}", ended.stdout, ended.stderr);
        assert!(
            all.contains("TC002") && all.contains("does not exist"),
            "{all}"
        );
    }
    drop(client);
    discard(database).await;
}
