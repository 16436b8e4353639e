//! `scan_run`: the same in SQL.

use tests::{Cluster, discard, sql};

use crate::Place;

#[tokio::test]
async fn scan_run_has_the_columns_of_tpcc_run_and_leaves_nothing_behind() {
    let cluster = Cluster::private();
    let database = cluster.fresh_database().await;
    let place = Place {
        database,
        role: "postgres".to_owned(),
    };
    let client = place.connect().await;
    let columns = |function: &str| {
        format!(
            "SELECT name, format_type(type, NULL) FROM pg_proc, unnest(proargnames, proallargtypes, proargmodes) \
             AS a (name, type, mode) WHERE proname = '{function}' AND mode = 't'"
        )
    };
    let expected = sql::table(&client, &columns("tpcc_run")).await;
    assert_eq!(expected.len(), 15);
    assert_eq!(sql::table(&client, &columns("scan_run")).await, expected);

    place.succeeds(&["load", "--rows", "200000", "--schema", "Scan's"]);
    let options = "SELECT reloptions::text, current_setting('max_parallel_workers_per_gather') \
                   FROM pg_class WHERE relname = 'scan_bits'";
    let before = sql::table(&client, options).await;
    let run = "SELECT transaction, committed, failed, share, p50_ms > 0 AND p50_ms <= max_ms, \
               mean_ms <= max_ms AND abs(per_minute * mean_ms / 60000 - 1) < 0.01 \
               FROM scan_run(ARRAY[9, 1], 2, 'Scan''s')";
    let rows = sql::table(&client, run).await;
    let expected = ["degree 0", "degree 1", "degree 9"].map(|name| {
        [name, "2", "0", "33.33", "t", "t"]
            .map(str::to_owned)
            .to_vec()
    });
    assert_eq!(rows, expected);
    assert_eq!(sql::table(&client, options).await, before);

    // Without workers: counted as failed, and without times.
    sql::run(&client, "SET max_parallel_workers = 0").await;
    let run = "SELECT transaction, committed, failed, p50_ms FROM scan_run(ARRAY[2], 1, 'Scan''s')";
    let rows = sql::table(&client, run).await;
    assert_eq!(rows[1], ["degree 2", "0", "1", "NULL"]);
    assert_eq!(sql::value(&client, "SHOW max_parallel_workers").await, "0");
}

#[tokio::test]
async fn scan_run_refuses_what_does_not_fit() {
    let place = Place {
        database: Cluster::shared().fresh_database().await,
        role: "postgres".to_owned(),
    };
    let client = place.connect().await;
    let fails = async |arguments: &str, sqlstate: &str, word: &str| {
        let sql = format!("SELECT * FROM scan_run({arguments})");
        sql::fails(&client, &sql, sqlstate, &[word]).await
    };
    fails("NULL", "22004", "NULL").await;
    fails("ARRAY[1, NULL]", "22004", "NULL").await;
    fails("runs => 0", "22023", "1 to 1000").await;
    fails("ARRAY[-1]", "22023", "0 to 1024").await;
    fails("ARRAY[500]", "53400", "max_worker_processes is 48").await;
    let error = fails("schema => 'no''ne'", "3F000", "does not exist").await;
    assert_eq!(
        error.hint(),
        Some("tpcc scan load --rows 10000000 --schema 'no''ne'")
    );
    fails("schema => 'public'", "TC003", "no table of a scan").await;
    place.succeeds(&["load", "--rows", "1000"]);
    sql::run(&client, "UPDATE tpcc_scan.scan_state SET vacuumed = false").await;
    fails("", "TC003", "did not come to its end").await;
    sql::run(&client, "UPDATE tpcc_scan.scan_state SET vacuumed = true").await;
    sql::run(&client, "DELETE FROM tpcc_scan.scan_bits").await;
    fails("", "TC006", "found 0 rows").await;
    let holder = place.connect().await;
    sql::run(
        &holder,
        "BEGIN; SELECT pg_advisory_xact_lock(1953522531, hashtext('tpcc_scan'))",
    )
    .await;
    fails("", "TC004", "going on").await;
    sql::run(&holder, "ROLLBACK").await;
    let other = Cluster::shared().fresh_role().await;
    sql::run(&client, &format!("SET ROLE {other}")).await;
    fails("", "42501", "scan_run").await;
    discard(place.database).await;
}
