//! Runs on tables that sysbench made, and sysbench on ours.

use tests::client as tpcc_alone;
use workload::result::{Mode, ResultSet};

use super::*;

fn file(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("oltp-{}-{name}", std::process::id()))
}

async fn from_sysbench() -> Database<'static> {
    let database = with_extension().await;
    sysbench(&database, &["oltp_read_write", "prepare"]).is(0);
    database
}

#[tokio::test]
async fn every_mode_and_protocol_runs_on_sysbenchs_tables() {
    let database = from_sysbench().await;
    for protocol in ["simple", "extended", "prepared"] {
        let json = file(protocol);
        let path = json.to_str().unwrap();
        let arguments = [
            "run",
            "-M",
            "all",
            "--protocol",
            protocol,
            "--in-lists",
            "1",
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
            assert_eq!(document.config.workload, "oltp");
            let parameter = |name: &str| document.config.parameters[name].as_i64();
            assert_eq!(parameter("tables"), Some(2));
            assert_eq!(parameter("table_size"), Some(1_000));
            assert_eq!(parameter("in_lists"), Some(1));
            assert!(document.accounting.balanced);
            assert_eq!(document.total.counters.failed, 0, "{:?}", document.errors);
            assert!(document.total.counters.committed > 10);
        }
        let facts = |index: usize| set.results[index].client.as_ref().unwrap();
        let committed = set.results[0].total.counters.committed;
        // 19 statements, of which 15 read, in BEGIN and COMMIT; what was tried again comes on top.
        assert!(facts(0).statements.reads >= 15 * committed);
        assert!(facts(0).statements.writes >= 4 * committed);
        assert!(facts(0).statements.other >= 2 * committed);
        let trips = |index: usize| facts(index).round_trips_per_transaction;
        assert!((21.0..22.0).contains(&trips(0)), "{}", shown.stdout);
        assert!((1.0..1.2).contains(&trips(1)), "{}", shown.stdout);
        assert!((1.0..1.2).contains(&trips(2)), "{}", shown.stdout);
        let again: Ended = tpcc_alone().args(["report", path]).output().unwrap().into();
        assert_eq!(again.is(0).stdout, shown.stdout);
        std::fs::remove_file(&json).unwrap();
    }
    run(&database, &["check"])
        .is(0)
        .shows(&["1000 rows, ids 1 to 1000"]);
    discard(database).await;
}

#[tokio::test]
async fn sysbench_runs_on_what_we_load() {
    let database = empty().await;
    let load = ["load", "--tables", "2", "--table-size", "1000", "-c", "2"];
    run(&database, &load).is(0);
    for script in [
        "oltp_read_write",
        "oltp_read_only",
        "oltp_write_only",
        "oltp_point_select",
        "oltp_update_index",
        "oltp_update_non_index",
        "oltp_insert",
        "oltp_delete",
    ] {
        sysbench(&database, &["--threads=2", "--time=1", script, "run"])
            .is(0)
            .shows(&["transactions:"]);
    }
    run(&database, &["check"]).is(0);
    discard(database).await;
}

#[tokio::test]
async fn every_script_does_in_every_mode_what_it_says() {
    let database = from_sysbench().await;
    let client = database.connect().await;
    let count = "SELECT (SELECT count(*) FROM sbtest1) + (SELECT count(*) FROM sbtest2)";
    let sum = "SELECT (SELECT sum(k) FROM sbtest1) + (SELECT sum(k) FROM sbtest2)";
    let texts = "SELECT md5((SELECT string_agg(c, '' ORDER BY id) FROM sbtest1))";
    for mode in ["statements", "pipelined", "udf", "server"] {
        for variant in [
            "read_only",
            "point_select",
            "update_index",
            "update_non_index",
            "write_only",
            "insert",
            "delete",
        ] {
            let json = file(&format!("{mode}-{variant}"));
            let path = json.to_str().unwrap();
            let before = (
                sql::number(&client, count).await,
                sql::number(&client, sum).await,
                sql::value(&client, texts).await,
            );
            let arguments = [
                "run",
                "-M",
                mode,
                "--variant",
                variant,
                "--table-size",
                "1000",
                "-T",
                "1s",
                "-c",
                "2",
                "-P",
                "0",
                "--json",
                path,
            ];
            run(&database, &arguments).is(0);
            let set = ResultSet::parse(&std::fs::read_to_string(&json).unwrap()).unwrap();
            std::fs::remove_file(&json).unwrap();
            let document = &set.results[0];
            let counters = &document.total.counters;
            assert_eq!(counters.failed, 0, "{mode} {variant} {:?}", document.errors);
            let committed = counters.committed as i64;
            assert!(committed > 0, "{mode} {variant}");
            let rows = sql::number(&client, count).await - before.0;
            let added = sql::number(&client, sum).await - before.1;
            let same = sql::value(&client, texts).await == before.2;
            let what =
                format!("{mode} {variant}: {committed} committed, {rows} rows, {added} in k");
            match variant {
                "insert" => assert_eq!(rows, committed, "{what}"),
                "delete" => assert!(rows < 0 && -rows <= committed, "{what}"),
                // Once a row was deleted, nothing of its id is updated.
                "update_index" => assert!(added > 0 && added <= committed, "{what}"),
                "read_only" | "point_select" => assert!(rows == 0 && added == 0 && same, "{what}"),
                "update_non_index" => assert!(rows == 0 && added == 0 && !same, "{what}"),
                // Where a row is missing it comes back.
                _ => assert!(rows >= 0 && !same, "{what}"),
            }
        }
    }
    run(&database, &["check"]).is(0);
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn two_that_delete_and_insert_the_same_row_are_tried_again() {
    let database = empty().await;
    run(&database, &["load", "--table-size", "2"]).is(0);
    for mode in ["statements", "pipelined", "udf"] {
        let json = file(&format!("conflicts-{mode}"));
        let path = json.to_str().unwrap();
        let arguments = [
            "run",
            "-M",
            mode,
            "--variant",
            "write_only",
            "--rand-type",
            "uniform",
            "-T",
            "2s",
            "-c",
            "8",
            "-P",
            "0",
            "--json",
            path,
        ];
        run(&database, &arguments).is(0);
        let set = ResultSet::parse(&std::fs::read_to_string(&json).unwrap()).unwrap();
        std::fs::remove_file(&json).unwrap();
        let counters = &set.results[0].total.counters;
        assert!(counters.committed > 0, "{mode}");
        assert!(counters.retries_serialization > 0, "{mode}");
    }
    run(&database, &["check"])
        .is(0)
        .shows(&["2 rows, ids 1 to 2"]);
    discard(database).await;
}

#[tokio::test]
async fn the_extension_runs_it_with_the_columns_of_tpcc_run() {
    let database = from_sysbench().await;
    let client = database.connect().await;
    let call = "SELECT transaction, committed, failed FROM oltp_run('1 s', workers => 2, seed => 1, \
                variant => 'read_only', knobs => '{\"point_selects\": 1, \"rand_type\": \"zipfian\"}')";
    let rows = sql::table(&client, call).await;
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(
        (names[0], names[1], names[8]),
        ("oltp_read_write", "oltp_read_only", "total")
    );
    assert_eq!(rows[1][1], rows[8][1]);
    assert_ne!(rows[1][1], "0");
    for (arguments, sqlstate, word) in [
        ("schema => 'nowhere'", "42P01", "sbtest1"),
        ("tables => 3", "42P01", "sbtest3"),
        ("tables => 0", "22023", "1 to 1000"),
        ("table_size => 0", "22023", "table_size"),
        ("variant => 'x'", "22023", "oltp_read_write"),
        ("knobs => '{\"x\": 1}'", "22023", "x"),
        ("knobs => '{\"range_size\": 0}'", "22023", "range_size"),
        (
            "variant => 'update_index', knobs => '{\"index_updates\": 0}'",
            "22023",
            "no statement",
        ),
    ] {
        let call = format!("SELECT * FROM oltp_run('1 s', {arguments})");
        sql::fails(&client, &call, sqlstate, &[word]).await;
    }
    sql::run(&client, "TRUNCATE sbtest1").await;
    sql::fails(
        &client,
        "SELECT * FROM oltp_run('1 s')",
        "TC003",
        &["sbtest1"],
    )
    .await;
    drop(client);
    run(&database, &["check"]).is(1).says(&["is empty"]);
    discard(database).await;
}

#[tokio::test]
async fn odd_names_are_names_and_what_is_missing_is_told() {
    for schema in ["My \"Schema\"", "select", "o'clock"] {
        let database = empty().await;
        run(&database, &["run", "--schema", schema, "-T", "1s"])
            .is(1)
            .says(&["sbtest1", "tpcc oltp load"]);
        run(&database, &["load", "--schema", schema, "-c", "2"]).is(0);
        let udf = [
            "run", "--schema", schema, "-M", "udf", "-T", "1s", "-P", "0",
        ];
        run(&database, &udf).is(0).shows(&["oltp_read_write"]);
        run(&database, &["run", "--schema", schema, "--tables", "2"])
            .is(1)
            .says(&["sbtest2"]);
        run(&database, &["check", "--schema", schema]).is(0);
        run(&database, &["drop", "--yes", "--schema", schema]).is(0);
        discard(database).await;
    }
}

#[test]
fn wrong_values_are_refused() {
    for (arguments, word) in [
        (&["load", "--tables", "0"][..], "1..=1000"),
        (&["load", "--table-size", "0"], "2000000000"),
        (&["load", "--rand-type", "normal"], "zipfian"),
        (&["load", "--rand-pareto-h", "1"], "--rand-pareto-h is 1"),
        (&["run", "--variant", "x"], "oltp_read_write"),
        (&["run", "--range-size", "0"], "--range-size is 0"),
        (&["run", "--point-selects", "x"], "--point-selects"),
        (&["run", "--skip-trx", "maybe"], "on, off"),
        (
            &["run", "--rand-zipfian-exp", "nan"],
            "--rand-zipfian-exp is NaN",
        ),
    ] {
        let ended: Ended = tpcc_alone()
            .arg("oltp")
            .args(arguments)
            .output()
            .unwrap()
            .into();
        ended.is(2).says(&[word]);
    }
}

#[tokio::test]
async fn mode_server_needs_no_extension() {
    let database = empty().await;
    run(
        &database,
        &["load", "--tables", "2", "--table-size", "5000", "-c", "2"],
    )
    .is(0);
    let client = database.connect().await;
    for variant in ["read_write", "point_select", "insert"] {
        let json = file(&format!("batches-{variant}"));
        let path = json.to_str().unwrap();
        let before = sql::number(
            &client,
            "SELECT (SELECT count(*) FROM sbtest1) + (SELECT count(*) FROM sbtest2)",
        )
        .await;
        let arguments = [
            "run",
            "-M",
            "server",
            "--variant",
            variant,
            "-T",
            "2s",
            "-c",
            "2",
            "-P",
            "0",
            "--json",
            path,
        ];
        run(&database, &arguments).is(0).shows(&[variant]);
        let set = ResultSet::parse(&std::fs::read_to_string(&json).unwrap()).unwrap();
        std::fs::remove_file(&json).unwrap();
        let document = &set.results[0];
        assert!(document.accounting.balanced);
        let counters = &document.total.counters;
        assert_eq!(counters.failed, 0, "{:?}", document.errors);
        assert!(counters.committed > 10, "{variant}");
        let after = sql::number(
            &client,
            "SELECT (SELECT count(*) FROM sbtest1) + (SELECT count(*) FROM sbtest2)",
        )
        .await;
        let appended = if variant == "insert" {
            counters.committed as i64
        } else {
            0
        };
        assert_eq!(after - before, appended, "{variant}");
        let trips = document
            .client
            .as_ref()
            .unwrap()
            .round_trips_per_transaction;
        assert!(trips < 0.5, "{variant}: {trips}");
    }
    run(
        &database,
        &["run", "-M", "server", "--isolation", "serializable"],
    )
    .is(2)
    .says(&["leave serializable out"]);
    run(&database, &["check"]).is(0);
    run(&database, &["drop", "--yes"]).is(0);
    let left = "SELECT count(*) FROM pg_proc WHERE proname LIKE 'oltp\\_%'";
    assert_eq!(sql::number(&client, left).await, 0);
    drop(client);
    discard(database).await;
}
