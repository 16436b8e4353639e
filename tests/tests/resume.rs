//! Loads that are cut short and called again, that grow, and that meet each other.

use std::collections::BTreeMap;
use std::time::Duration;

use tests::{Cluster, Connection, Database, Shutdown, discard, loaded, sql};
use tokio::sync::Mutex;

const TABLES: [&str; 9] = [
    "item",
    "warehouse",
    "district",
    "customer",
    "history",
    "orders",
    "new_order",
    "order_line",
    "stock",
];

/// A number that depends on every column of every row, whatever their order.
async fn digest(client: &Connection, rows: &str) -> String {
    let query = format!(
        "SELECT count(*) || '/' || sum(hash_record_extended(r, 0)::numeric) FROM {rows} AS r"
    );
    sql::value(client, &query).await
}

/// The digest of what the generator of a table gives, computed once.
async fn generated(client: &Connection, table: &'static str, warehouses: i32) -> String {
    static DIGESTS: Mutex<BTreeMap<(&str, i32), String>> = Mutex::const_new(BTreeMap::new());
    let mut digests = DIGESTS.lock().await;
    if let Some(digest) = digests.get(&(table, warehouses)) {
        return digest.clone();
    }
    let rows = match table {
        "item" => "tpcc_gen_item(1)".to_owned(),
        _ => format!("generate_series(1, {warehouses}) AS w, LATERAL tpcc_gen_{table}(w, 1)"),
    };
    let digest = digest(client, &rows).await;
    digests.insert((table, warehouses), digest.clone());
    digest
}

/// Asserts that the tables hold the very rows of the generators for so many warehouses, each once.
async fn is_loaded(client: &Connection, warehouses: i32) {
    for table in TABLES {
        let expected = generated(client, table, warehouses).await;
        assert_eq!(
            digest(client, &format!("tpcc.{table}")).await,
            expected,
            "{table}"
        );
    }
    let constraints = "SELECT count(*) FROM pg_constraint WHERE connamespace = 'tpcc'::regnamespace AND contype = 'p' AND conname NOT LIKE 'tpcc%'";
    assert_eq!(sql::value(client, constraints).await, "8");
    let indexes = "SELECT count(*), bool_and(indisvalid) FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relname IN ('customer_name_idx', 'orders_customer_idx')";
    assert_eq!(sql::table(client, indexes).await, [["2", "t"]]);
    assert_eq!(
        sql::value(client, "SELECT count(*) FROM tpcc_check() WHERE holds").await,
        "12"
    );
    let whole =
        "SELECT (SELECT count(*) FROM tpcc.tpcc_load), (SELECT count(*) FROM tpcc.tpcc_load_part)";
    let expected = [(warehouses + 1).to_string(), "0".to_owned()];
    assert_eq!(sql::table(client, whole).await, [expected]);
}

/// Waits until at least one part is recorded as loaded, and lets no further one be recorded until the session ends.
async fn hold(database: &Database<'_>) -> Connection {
    let holder = database.connect().await;
    sql::until(
        &holder,
        "SELECT to_regclass('tpcc.tpcc_load_part') IS NOT NULL",
    )
    .await;
    sql::until(&holder, &format!("SELECT ({RECORDED}) > 0")).await;
    sql::run(
        &holder,
        "BEGIN; LOCK TABLE tpcc.tpcc_load_part, tpcc.tpcc_load IN SHARE MODE",
    )
    .await;
    holder
}

const RECORDED: &str =
    "SELECT (SELECT count(*) FROM tpcc.tpcc_load) + (SELECT count(*) FROM tpcc.tpcc_load_part)";
/// Whether the load of three warehouses has not come to its end.
const UNFINISHED: &str = "SELECT count(*) < 4 FROM tpcc.tpcc_load";

#[tokio::test]
async fn a_killed_load_goes_on_where_it_stopped() {
    let database = Cluster::shared().fresh_database().await;
    let leader = database.connect().await;
    let client = database.connect().await;
    let pid = leader.pid().await;
    let (ended, found) = tokio::join!(
        leader.simple_query("SELECT * FROM tpcc_load(3, 1, seed => 1)"),
        async {
            let holder = hold(&database).await;
            let found = sql::number(&client, RECORDED).await;
            let waiting = format!(
                "SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = '{}' AND backend_type LIKE 'pg\\_tpcc%' AND wait_event_type = 'Lock'",
                database.name()
            );
            sql::until(&client, &waiting).await;
            sql::run(&client, &format!("SELECT pg_terminate_backend({pid})")).await;
            let left = format!(
                "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '{}' AND (backend_type LIKE 'pg\\_tpcc%' OR pid = {pid}))",
                database.name()
            );
            assert!(
                sql::within(&client, Duration::from_secs(2), &left).await,
                "a worker is left"
            );
            drop(holder);
            found
        }
    );
    assert!(ended.is_err());
    assert_eq!(sql::number(&client, RECORDED).await, found);
    assert_eq!(sql::value(&client, UNFINISHED).await, "t");
    sql::fails(&client, "SELECT * FROM tpcc_run('1s')", "TC003", &["tpcc"]).await;

    let rows = sql::table(&client, "SELECT table_name, row_count FROM tpcc_load(3, 2)").await;
    assert!(
        rows.contains(&vec!["customer".to_owned(), "90000".to_owned()]),
        "{rows:?}"
    );
    assert!(
        client
            .notices()
            .iter()
            .any(|notice| notice.contains("found")),
        "it says what it found: {:?}",
        client.notices()
    );
    is_loaded(&client, 3).await;

    // Once more: there is nothing to do.
    sql::run(&client, "SELECT * FROM tpcc_load(3)").await;
    assert!(
        client
            .notices()
            .iter()
            .any(|notice| notice.contains("nothing to do")),
        "{:?}",
        client.notices()
    );
    assert_eq!(
        sql::number(&client, "SELECT count(*) FROM tpcc.stock").await,
        300_000
    );
    discard(database).await;
}

#[tokio::test]
async fn a_load_whose_caller_vanishes_leaves_no_worker() {
    let database = Cluster::shared().fresh_database().await;
    let abandoned = database.connect().await;
    let witness = database.connect().await;
    let pid = abandoned.pid().await;
    let holder = {
        let mut loading = Box::pin(abandoned.simple_query("SELECT * FROM tpcc_load(2, 1)"));
        tokio::select! {
            _ = &mut loading => panic!("the load ended by itself"),
            holder = hold(&database) => holder,
        }
    };
    drop(abandoned);
    let left = format!(
        "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '{}' AND (backend_type LIKE 'pg\\_tpcc%' OR pid = {pid}))",
        database.name()
    );
    assert!(
        sql::within(&witness, Duration::from_secs(3), &left).await,
        "a worker or the leader is left"
    );
    drop(holder);
    discard(database).await;
}

#[tokio::test]
async fn a_load_goes_on_after_a_crash_of_the_server() {
    let cluster = Cluster::private();
    let database = cluster.fresh_database().await;
    let leader = database.connect().await;
    let (ended, found) = tokio::join!(
        leader.simple_query("SELECT * FROM tpcc_load(3, 2, seed => 1)"),
        async {
            let holder = hold(&database).await;
            let found = sql::number(&holder, RECORDED).await;
            cluster.restart(Shutdown::Immediate);
            found
        }
    );
    assert!(ended.is_err());
    let client = database.connect().await;
    assert!(
        sql::number(&client, RECORDED).await >= found,
        "what was recorded as loaded is"
    );
    assert_eq!(sql::value(&client, UNFINISHED).await, "t");
    sql::run(&client, "SELECT * FROM tpcc_load(3, 2)").await;
    is_loaded(&client, 3).await;
}

#[tokio::test]
async fn an_unlogged_load_is_forgotten_with_its_rows() {
    let cluster = Cluster::private();
    let database = cluster.fresh_database().await;
    let client = database.connect().await;
    sql::run(
        &client,
        "SELECT * FROM tpcc_load(1, 1, seed => 1, unlogged => true)",
    )
    .await;
    is_loaded(&client, 1).await;
    cluster.restart(Shutdown::Immediate);
    let client = database.connect().await;
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc.stock").await,
        "0",
        "a crash empties unlogged tables"
    );
    sql::fails(&client, "SELECT * FROM tpcc_run('1s')", "TC003", &["tpcc"]).await;
    sql::run(&client, "SELECT * FROM tpcc_load(1, 1)").await;
    is_loaded(&client, 1).await;
}

#[tokio::test]
async fn a_larger_number_adds_warehouses() {
    let database = loaded(1).await;
    let client = database.connect().await;
    // Whatever happened to the first warehouse stays.
    sql::row(
        &client,
        "SELECT * FROM tpcc_payment(1, 1, 1, 1, 1, NULL, 123.45)",
    )
    .await;
    sql::run(&client, "SELECT * FROM tpcc_load(3, 2)").await;
    let notices = client.notices().join("\n");
    assert!(
        notices.contains("found 1 of 3") && notices.contains("rows/s"),
        "{notices}"
    );
    let ytd = "SELECT w_ytd FROM tpcc.warehouse ORDER BY w_id";
    assert_eq!(
        sql::table(&client, ytd).await,
        [["300123.45"], ["300000.00"], ["300000.00"]]
    );
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc_check() WHERE holds").await,
        "12"
    );
    for (table, w) in [
        ("stock", "s_w_id"),
        ("order_line", "ol_w_id"),
        ("customer", "c_w_id"),
    ] {
        let query = format!(
            "SELECT count(*) FROM (SELECT * FROM tpcc.{table} WHERE {w} = 3 EXCEPT ALL SELECT * FROM tpcc_gen_{table}(3, 1)) AS differing"
        );
        assert_eq!(sql::value(&client, &query).await, "0", "{table}");
    }
    // A smaller number takes nothing away.
    sql::run(&client, "SELECT * FROM tpcc_load(2)").await;
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc.warehouse").await,
        "3"
    );
    sql::fails(
        &client,
        "SELECT * FROM tpcc_load(4, seed => 2)",
        "22023",
        &["seed", "1", "2"],
    )
    .await;
    discard(database).await;
}

#[tokio::test]
async fn a_second_load_at_the_same_time_is_refused() {
    let database = Cluster::shared().fresh_database().await;
    let leader = database.connect().await;
    let second = database.connect().await;
    let (ended, ()) = tokio::join!(
        sql::rows(&leader, "SELECT * FROM tpcc_load(2, 1, seed => 1)"),
        async {
            let holder = hold(&database).await;
            sql::fails(&second, "SELECT * FROM tpcc_load(2, 1)", "TC004", &["tpcc"]).await;
            sql::fails(&second, "SELECT * FROM tpcc_run('1s')", "TC003", &["tpcc"]).await;
            sql::run(&holder, "ROLLBACK").await;
        }
    );
    assert_eq!(ended.len(), 9);
    is_loaded(&second, 2).await;
    discard(database).await;
}

#[tokio::test]
async fn a_cancelled_load_says_how_to_go_on_and_a_worker_error_comes_through() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    sql::run(&client, "SET statement_timeout = '50ms'").await;
    sql::fails(&client, "SELECT * FROM tpcc_load(2, 2)", "57014", &[]).await;
    sql::run(&client, "RESET statement_timeout").await;
    let left = format!(
        "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '{}' AND backend_type LIKE 'pg\\_tpcc%')",
        database.name()
    );
    assert!(sql::within(&client, Duration::from_secs(2), &left).await);
    sql::run(&client, "SELECT * FROM tpcc_load(1, 1, seed => 1)").await;
    is_loaded(&client, 1).await;

    // A table that is not ours is named, not overwritten.
    sql::run(&client, "CREATE SCHEMA theirs; CREATE TABLE theirs.item (id int); INSERT INTO theirs.item VALUES (7)").await;
    sql::fails(
        &client,
        "SELECT * FROM tpcc_load(1, schema => 'theirs')",
        "TC006",
        &["item"],
    )
    .await;
    assert_eq!(
        sql::table(&client, "SELECT id FROM theirs.item").await,
        [["7"]]
    );
    discard(database).await;
}

#[tokio::test]
async fn foreign_keys_and_storage_choices_are_as_asked_for_in_a_schema_of_any_name() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    let load = "SELECT * FROM tpcc_load(1, 2, schema => 'My \"Schema\"', foreign_keys => true, unlogged => true, fillfactors => '{\"stock\": 77}')";
    sql::run(&client, load).await;
    let keys = "SELECT count(*), bool_and(convalidated) FROM pg_constraint WHERE connamespace = '\"My \"\"Schema\"\"\"'::regnamespace AND contype = 'f'";
    assert_eq!(sql::table(&client, keys).await, [["10", "t"]]);
    let stored = "SELECT relpersistence, array_to_string(reloptions, ' ') FROM pg_class WHERE oid = '\"My \"\"Schema\"\"\".stock'::regclass";
    assert_eq!(sql::table(&client, stored).await, [["u", "fillfactor=77"]]);
    let committed = "SELECT committed > 0, failed FROM tpcc_run('1s', workers => 4, schema => 'My \"Schema\"') WHERE transaction = 'total'";
    assert_eq!(sql::table(&client, committed).await, [["t", "0"]]);
    assert_eq!(
        sql::value(
            &client,
            "SELECT count(*) FROM tpcc_check('My \"Schema\"') WHERE holds"
        )
        .await,
        "12"
    );
    // Visibility is known and statistics are there: no table has to be read twice after a load.
    let vacuumed = "SELECT bool_and(relallvisible > 0 AND reltuples > 0) FROM pg_class WHERE relnamespace = '\"My \"\"Schema\"\"\"'::regnamespace AND relkind = 'r' AND relname IN ('item', 'history', 'order_line')";
    assert_eq!(sql::value(&client, vacuumed).await, "t");
    discard(database).await;
}
