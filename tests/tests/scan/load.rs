//! `tpcc scan load` makes the same rows whatever happens meanwhile.

use std::process::Child;

use tests::{Cluster, Connection, Shutdown, discard, signal, sql};

use crate::{Place, assert_says, digest, end_of};

const SESSIONS: &str = "FROM pg_stat_activity WHERE application_name = 'tpcc scan load' \
                        AND datname = current_database()";

/// The load that is disturbed.
const LOAD: [&str; 5] = ["load", "--rows", "400000", "-c", "2"];

/// Starts the load where a part is there already, and lets no further one be until the other session ends: both of its
/// connections wait. `witness` has no transaction: in one, what it sees of other sessions would stay as it was.
async fn held(place: &Place<'_>, witness: &Connection) -> (Child, Connection) {
    place.succeeds(&["load", "--rows", "100000"]);
    let holder = place.connect().await;
    let lock = "BEGIN; LOCK TABLE tpcc_scan.scan_load IN SHARE MODE";
    sql::run(&holder, lock).await;
    let child = place.start(&LOAD);
    let waiting = format!("SELECT count(*) = 2 {SESSIONS} AND wait_event_type = 'Lock'");
    sql::until(witness, &waiting).await;
    (child, holder)
}

#[tokio::test]
async fn the_rows_follow_from_the_seed_alone() {
    let place = Place::new(Cluster::shared()).await;
    let client = place.connect().await;
    let odd = "My \"Scan\"'s";
    place.succeeds(&["load", "--rows", "150000", "-c", "3"]);
    place.succeeds(&["load", "--rows", "30", "-c", "1", "--schema", odd]);
    let said = place.succeeds(&["load", "--rows", "150000", "-c", "1", "--schema", odd]);
    assert_says(&said, &["found 30 of 150000 rows, going on", "150,000"]);
    let one = digest(&client, "tpcc_scan").await;
    assert_eq!(one, digest(&client, odd).await);
    assert_eq!(
        one[..2],
        ["150000", "150000"],
        "rows, and how many of them differ"
    );
    assert_eq!(one[3], one[4], "what the seed says, and what the rows say");
    let matching: f64 = one[3].parse().unwrap();
    assert!(
        (matching / 150_000.0 - 1.0 / 16.0).abs() < 0.004,
        "{matching}"
    );

    place.succeeds(&["load", "--rows", "150000", "--schema", "other", "--seed=-2"]);
    assert_ne!(one[2], digest(&client, "other").await[2]);
    let said = place.succeeds(&["load", "--rows", "150000"]);
    assert_says(&said, &["nothing to do"]);
    let said = place.succeeds(&["load", "--rows", "5"]);
    assert_says(&said, &["has 150000 rows, and none is taken away"]);
    let seen = "SELECT relallvisible > 0, reltuples FROM pg_class WHERE oid = 'tpcc_scan.scan_bits'::regclass";
    assert_eq!(sql::table(&client, seen).await, [["t", "150000"]]);
    place.succeeds(&["drop", "--yes", "--schema", odd]);
    let gone = format!(
        "SELECT to_regnamespace({}) IS NULL",
        sql::literal(&sql::ident(odd))
    );
    assert_eq!(sql::value(&client, &gone).await, "t");
    discard(place.database).await;
}

#[tokio::test]
async fn lost_connections_are_made_again() {
    let place = Place::new(Cluster::shared()).await;
    let client = place.connect().await;
    let (child, holder) = held(&place, &client).await;
    let kill = format!("SELECT count(pg_terminate_backend(pid)) = 2 {SESSIONS}");
    assert_eq!(sql::value(&client, &kill).await, "t");
    // The leader too, which holds the lock.
    let kill = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' \
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert_eq!(sql::value(&client, kill).await, "1");
    sql::run(&holder, "ROLLBACK").await;
    let (status, said) = end_of(child).await;
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said.matches("a connection was lost").count(), 2, "{said}");
    place.succeeds(&["load", "--rows", "400000", "--schema", "whole"]);
    assert_eq!(
        digest(&client, "tpcc_scan").await,
        digest(&client, "whole").await
    );
    discard(place.database).await;
}

#[tokio::test]
async fn an_interrupted_load_leaves_nothing_at_work_and_goes_on_later() {
    let place = Place::new(Cluster::shared()).await;
    let client = place.connect().await;
    let (child, holder) = held(&place, &client).await;
    signal(&child, "INT");
    let (status, said) = end_of(child).await;
    assert_eq!(status, Some(1), "{said}");
    assert_says(
        &said,
        &["interrupted", "the same command goes on from there"],
    );
    sql::until(&client, &format!("SELECT count(*) = 0 {SESSIONS}")).await;
    sql::run(&holder, "ROLLBACK").await;
    place.fails(
        &["run"],
        1,
        &[
            "is loaded in part only: 300000 of 400000 rows are missing",
            "tpcc scan load --rows 400000",
        ],
    );
    let said = place.succeeds(&LOAD);
    assert_says(&said, &["found 100000 of 400000 rows, going on"]);
    place.succeeds(&["load", "--rows", "400000", "--schema", "whole"]);
    assert_eq!(
        digest(&client, "tpcc_scan").await,
        digest(&client, "whole").await
    );
    discard(place.database).await;
}

#[tokio::test]
async fn a_crash_that_empties_an_unlogged_table_is_noticed() {
    let cluster = Cluster::private();
    let place = Place::new(&cluster).await;
    let load = ["load", "--rows", "120000", "--unlogged", "--seed", "5"];
    place.succeeds(&load);
    let before = digest(&place.connect().await, "tpcc_scan").await;
    cluster.restart(Shutdown::Immediate);
    // Waits until the server lets sessions in.
    let client = place.connect().await;
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc_scan.scan_bits").await,
        "0"
    );
    place.fails(&["run"], 1, &["120000 of 120000 rows are missing"]);
    place.succeeds(&["load", "--rows", "120000"]);
    assert_eq!(digest(&client, "tpcc_scan").await, before);
}
