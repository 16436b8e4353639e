//! What `tpcc scan` does not do, and what it says then.

use tests::{Cluster, discard, sql};

use crate::Place;

#[tokio::test]
async fn impossible_flags_are_wrong_usage() {
    let place = Place::new(Cluster::shared()).await;
    for flags in [
        &["load", "--rows", "0"][..],
        &["load", "--schema", "pg_scan"],
        &["run", "--runs", "0"],
        &["run", "--degrees", "1,x"],
        &["run", "--degrees", "1025"],
        &["run", "--degrees", "1", "--max-degree", "2"],
        &["run", "--json", "/nowhere/at/all.json"],
        &["drop"],
    ] {
        place.fails(flags, 2, &[]);
    }
    place.fails(&["run", "-h", "/nowhere"], 3, &["cannot connect"]);
    place.fails(&["load", "-h", "/nowhere"], 3, &["cannot connect"]);
    discard(place.database).await;
}

#[tokio::test]
async fn what_does_not_fit_is_refused_with_what_mends_it() {
    let place = Place::new(Cluster::shared()).await;
    let client = place.connect().await;
    let nothing = ["holds no table of a scan", "tpcc scan load --rows"];
    place.fails(&["run"], 1, &nothing);
    place.fails(&["drop", "--yes"], 1, &["Nothing was dropped"]);
    place.succeeds(&["load", "--rows", "1000"]);
    place.fails(
        &["load", "--rows", "9", "--seed", "3"],
        1,
        &["begun with seed 1", "tpcc scan drop"],
    );
    // The tests' clusters have 48, one of which is taken.
    place.fails(
        &["run", "--degrees", "48"],
        2,
        &["--max-degree 47", "max_worker_processes = 49"],
    );

    // While a load is at work.
    let lock = "BEGIN; SELECT pg_advisory_xact_lock(1953522531, hashtext('tpcc_scan'))";
    sql::run(&client, lock).await;
    place.fails(&["load"], 1, &["is going on in process"]);
    place.fails(&["drop", "--yes"], 1, &["is going on in process"]);
    place.fails(
        &["run"],
        1,
        &["a load or drop of schema", "Wait for its end"],
    );
    sql::run(&client, "ROLLBACK").await;

    // Rows that no load made.
    sql::run(
        &client,
        "INSERT INTO tpcc_scan.scan_bits SELECT repeat('10', 100)::bit(200)",
    )
    .await;
    let words = [
        "the count at degree 0 found",
        "Somebody changed the table",
        "tpcc scan drop",
    ];
    place.fails(&["run", "--max-degree", "1"], 1, &words);

    sql::run(&client, "DROP TABLE tpcc_scan.scan_state").await;
    place.fails(&["run"], 1, &["was not made by tpcc scan load"]);
    place.fails(&["drop", "--yes"], 1, &["was not made by tpcc scan load"]);
    sql::run(
        &client,
        "CREATE SCHEMA mine; CREATE TABLE mine.scan_bits (id text)",
    )
    .await;
    place.fails(
        &["load", "--schema", "mine"],
        1,
        &["other columns", "--schema NAME"],
    );
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM mine.scan_bits").await,
        "0"
    );
    discard(place.database).await;
}

#[tokio::test]
async fn a_schema_with_something_else_in_it_stays() {
    let place = Place::new(Cluster::shared()).await;
    let client = place.connect().await;
    place.succeeds(&["load", "--rows", "1000"]);
    sql::run(&client, "CREATE VIEW tpcc_scan.mine AS SELECT 1 AS one").await;
    let said = place.succeeds(&["drop", "--yes"]);
    assert!(said.contains("the schema stays"), "{said}");
    let left = "SELECT string_agg(relname, ',') FROM pg_class WHERE relnamespace = 'tpcc_scan'::regnamespace";
    assert_eq!(sql::value(&client, left).await, "mine");
    discard(place.database).await;
}
