//! The tables as pgbench makes them, and loads that meet trouble.

use std::process::Stdio;
use std::time::Duration;

use super::*;

/// How long something may take to happen.
const LIMIT: Duration = Duration::from_secs(60);

/// What pgbench's tables are: columns, keys, storage, partitions.
const SHAPE: &str = "
    SELECT c.relname, c.relkind, c.relpersistence, c.reloptions::text, pg_get_partkeydef(c.oid),
           pg_get_expr(c.relpartbound, c.oid),
           (SELECT string_agg(format('%s %s %s', attname, format_type(atttypid, atttypmod), attnotnull), ', ' ORDER BY attnum)
            FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0),
           (SELECT string_agg(conname || ' ' || pg_get_constraintdef(k.oid), ', ' ORDER BY conname)
            FROM pg_constraint k WHERE conrelid = c.oid AND contype IN ('p', 'f'))
    FROM pg_class c WHERE relname LIKE 'pgbench%' AND relkind IN ('r', 'p') ORDER BY 1";
/// What is in them.
const ROWS: &str = "
    SELECT md5(string_agg(a::text, ';' ORDER BY aid)) FROM pgbench_accounts a
    UNION ALL SELECT md5(string_agg(t::text, ';' ORDER BY tid)) FROM pgbench_tellers t
    UNION ALL SELECT md5(string_agg(b::text, ';' ORDER BY bid)) FROM pgbench_branches b
    UNION ALL SELECT count(*)::text FROM pgbench_history";

#[tokio::test]
async fn tables_and_rows_are_pgbenchs() {
    for (ours, theirs) in [
        (&["-c", "2"][..], &[][..]),
        (
            &["--fillfactor", "90", "--unlogged"],
            &["-F", "90", "--unlogged-tables"],
        ),
        (&["--foreign-keys"], &["--foreign-keys"]),
        (&["--partitions", "3"], &["--partitions=3"]),
        (
            &["--partitions", "2", "--partition-method", "hash"],
            &["--partitions=2", "--partition-method=hash"],
        ),
    ] {
        let (mine, its) = (empty().await, empty().await);
        run(&mine, &[&["load", "-s", "2"][..], ours].concat())
            .is(0)
            .shows(&["scale 2"]);
        pgbench(&its, &[&["-i", "-q", "-s", "2"][..], theirs].concat()).is(0);
        let (us, them) = (mine.connect().await, its.connect().await);
        assert_eq!(
            sql::table(&us, SHAPE).await,
            sql::table(&them, SHAPE).await,
            "{ours:?}"
        );
        assert_eq!(
            sql::table(&us, ROWS).await,
            sql::table(&them, ROWS).await,
            "{ours:?}"
        );
        drop((us, them));
        discard(mine).await;
        discard(its).await;
    }
}

#[tokio::test]
async fn the_extension_writes_the_same_rows() {
    for (ours, theirs) in [
        (&["-c", "2"][..], &[][..]),
        (
            &["--fillfactor", "90", "--unlogged", "--foreign-keys"],
            &["-F", "90", "--unlogged-tables", "--foreign-keys"],
        ),
    ] {
        let mine = Cluster::shared().fresh_database().await;
        let its = empty().await;
        let native = ["load", "-s", "2", "--flavour", "native"];
        run(&mine, &[&native[..], ours].concat()).is(0);
        pgbench(&its, &[&["-i", "-q", "-s", "2"][..], theirs].concat()).is(0);
        let (us, them) = (mine.connect().await, its.connect().await);
        for query in [SHAPE, ROWS] {
            assert_eq!(
                sql::table(&us, query).await,
                sql::table(&them, query).await,
                "{ours:?}"
            );
        }
        // The pages are as full, but for the last one of each connection.
        let size = "SELECT pg_relation_size('pgbench_accounts') / 8192";
        let (ours, theirs) = (sql::number(&us, size).await, sql::number(&them, size).await);
        assert!((theirs..=theirs + 2).contains(&ours), "{ours} {theirs}");
        drop((us, them));
        discard(mine).await;
        discard(its).await;
    }
}

#[tokio::test]
async fn accounts_are_written_only_where_they_belong() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    let write = |arguments: &str| format!("SELECT tpcb_write_accounts({arguments})");
    let fails = async |arguments: &str, sqlstate: &str, word: &str| {
        sql::fails(&client, &write(arguments), sqlstate, &[word]).await;
    };
    fails("'public', 1", "42P01", "pgbench_accounts").await;
    run(&database, &["load", "-s", "1", "--flavour", "plpgsql"]).is(0);
    fails("'public', 0", "22023", "1 to 100000").await;
    fails("'public', 100001", "22023", "1 to 100000").await;
    fails("NULL, 1", "22004", "schema").await;
    fails("'public', NULL", "22004", "bid").await;
    fails("'public', 2, true", "TC006", "aid as integer").await;
    fails("'public', 1", "23505", "pgbench_accounts_pkey").await;
    let rows = "SELECT count(*) FROM pgbench_accounts";
    assert_eq!(sql::number(&client, rows).await, 100_000);
    assert_eq!(sql::number(&client, &write("'public', 2")).await, 100_000);
    assert_eq!(sql::number(&client, rows).await, 200_000);
    // Their index has them too.
    let found = "SET enable_seqscan = off; SELECT bid FROM pgbench_accounts WHERE aid = 200000";
    let last = sql::rows(&client, found).await;
    assert_eq!(last[0].get(0), Some("2"));
    // An account is no int4 from scale 20,000 on.
    sql::run(&client, "ALTER TABLE pgbench_accounts ALTER aid TYPE int8").await;
    fails("'public', 3", "TC006", "aid as bigint").await;
    assert_eq!(
        sql::number(&client, &write("'public', 100000, true")).await,
        100_000
    );
    let most = "SELECT max(aid) FROM pgbench_accounts";
    assert_eq!(sql::number(&client, most).await, 10_000_000_000);
    let role = Cluster::shared().fresh_role().await;
    sql::run(&client, &format!("SET ROLE {role}")).await;
    fails("'public', 4", "42501", "permission denied").await;
    sql::run(&client, "RESET ROLE").await;
    // Nobody would look whether the branch is there.
    run(&database, &["drop", "--yes"]).is(0);
    run(&database, &["load", "--foreign-keys"]).is(0);
    fails("'public', 2", "TC006", "foreign key").await;
    run(&database, &["drop", "--yes"]).is(0);
    run(&database, &["load", "--partitions", "2"]).is(0);
    fails("'public', 2", "TC006", "partitioned").await;
    run(
        &database,
        &["load", "--partitions", "2", "--flavour", "native"],
    )
    .is(2)
    .says(&["partitions"]);
    drop(client);
    discard(database).await;
    let without = empty().await;
    run(&without, &["load", "--flavour", "native"])
        .is(1)
        .says(&["CREATE EXTENSION pg_tpcc"]);
    discard(without).await;
}

#[tokio::test]
async fn an_interrupted_key_is_cancelled_and_a_drop_keeps_out() {
    let database = Cluster::shared().fresh_database().await;
    let (client, holder) = (database.connect().await, database.connect().await);
    // Slow enough that the lock comes before the key.
    let slow = ["load", "--flavour", "plpgsql", "--max-write", "10MB/s"];
    let child = tpcb(&database, &slow)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    eventually("the table", LIMIT, async || {
        sql::value(
            &client,
            "SELECT to_regclass('pgbench_accounts') IS NOT NULL",
        )
        .await
            == "t"
    })
    .await;
    // Rows and vacuum may pass, a key may not.
    sql::run(
        &holder,
        "BEGIN; LOCK TABLE pgbench_accounts IN ROW EXCLUSIVE MODE",
    )
    .await;
    let building = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' \
                    AND query LIKE 'ALTER TABLE%pgbench_accounts_pkey%'";
    eventually("a key that is built", LIMIT, async || {
        sql::number(&client, building).await > 0
    })
    .await;
    run(&database, &["drop", "--yes"])
        .is(1)
        .says(&["another load, drop or run"]);
    signal(&child, "INT");
    let ended: Ended = child.wait_with_output().unwrap().into();
    ended.is(1).says(&["interrupted", "goes on"]);
    eventually("nobody at work", LIMIT, async || {
        sql::number(&client, building).await == 0
    })
    .await;
    sql::run(&holder, "COMMIT").await;
    run(&database, &["load", "-s", "1", "-c", "2"])
        .is(0)
        .says(&["found 1 of 1 branches loaded, going on"]);
    run(&database, &["check"]).is(0);
    drop((client, holder));
    discard(database).await;
}

#[tokio::test]
async fn pgbench_runs_on_what_we_load() {
    let database = empty().await;
    run(&database, &["load", "-s", "1", "-c", "2"]).is(0);
    pgbench(&database, &["-n", "-c", "2", "-t", "50", "-M", "prepared"])
        .is(0)
        .shows(&["scaling factor: 1"]);
    pgbench(&database, &["-n", "-S", "-t", "50"]).is(0);
    run(&database, &["check"]).is(0).shows(&["ok"]);
    let client = database.connect().await;
    assert_eq!(
        sql::number(&client, "SELECT count(*) FROM pgbench_history").await,
        100
    );
    // A balance that nobody paid.
    sql::run(
        &client,
        "UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = 1",
    )
    .await;
    run(&database, &["check"]).is(1).shows(&["BROKEN"]);
    drop(client);
    run(&database, &["drop", "--yes"])
        .is(0)
        .shows(&["pgbench_accounts"]);
    run(&database, &["drop", "--yes"])
        .is(0)
        .shows(&["none of pgbench's tables"]);
    discard(database).await;
}

#[tokio::test]
async fn a_load_survives_lost_connections_also_while_a_key_is_built() {
    let database = empty().await;
    let client = database.connect().await;
    let mut child = tpcb(
        &database,
        &["load", "-s", "4", "-c", "2", "--max-write", "40MB/s"],
    )
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let backend = |query: &str| {
        format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
             WHERE datname = current_database() AND application_name = 'tpcc tpcb load' AND state = 'active' AND query LIKE '{query}'"
        )
    };
    for query in ["COPY%", "ALTER TABLE%pgbench_accounts_pkey%"] {
        let terminate = backend(query);
        eventually("a backend at that", LIMIT, async || {
            sql::number(&client, &terminate).await > 0
        })
        .await;
    }
    assert!(child.wait().unwrap().success());
    let ended: Ended = child.wait_with_output().unwrap().into();
    let ended = ended.says(&["a connection was lost"]);
    let again = ended.stderr.matches("connecting again").count();
    assert!(again >= 2, "{}", ended.stderr);
    run(&database, &["check"]).is(0);
    assert_eq!(
        sql::value(&client, "SELECT to_regclass('tpcb_load') IS NULL").await,
        "t"
    );
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn a_killed_load_goes_on() {
    let database = empty().await;
    let client = database.connect().await;
    let budget = ["load", "-s", "4", "-c", "1", "--max-write", "20MB/s"];
    let mut child = tpcb(&database, &budget)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let committed = "SELECT CASE WHEN to_regclass('tpcb_load') IS NULL THEN 0 ELSE \
         (xpath('/row/c/text()', query_to_xml('SELECT count(*) AS c FROM tpcb_load', false, true, '')))[1]::text::int \
         END";
    // The row of the scale, and a branch.
    eventually("a branch", LIMIT, async || {
        sql::number(&client, committed).await >= 2
    })
    .await;
    child.kill().unwrap();
    child.wait().unwrap();
    run(&database, &["run", "-T", "1s"])
        .is(1)
        .says(&["loaded in part only"]);
    run(&database, &["load", "-s", "5"])
        .is(1)
        .says(&["of scale 4 that was not finished"]);
    run(&database, &["load", "-s", "4", "-c", "2"])
        .is(0)
        .says(&["of 4 branches loaded, going on"]);
    run(&database, &["check"]).is(0);
    run(&database, &["load", "-s", "4"])
        .is(1)
        .says(&["tpcc tpcb drop"]);
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn a_budget_is_kept() {
    let database = empty().await;
    let start = std::time::Instant::now();
    // 100,000 accounts write about 27 MB, the log included.
    run(
        &database,
        &["load", "-s", "1", "-c", "2", "--max-write", "9MB/s"],
    )
    .is(0);
    assert!(
        start.elapsed() >= Duration::from_millis(2_500),
        "{:?}",
        start.elapsed()
    );
    discard(database).await;
}

#[tokio::test]
async fn odd_names_are_names() {
    for schema in ["My \"Schema\"", "select", "o'clock"] {
        let database = empty().await;
        run(&database, &["load", "--schema", schema, "-c", "2"]).is(0);
        let all = [
            "run", "--schema", schema, "-M", "udf", "-T", "1s", "-P", "0",
        ];
        run(&database, &all).is(0).shows(&["tpcb-like"]);
        run(&database, &["check", "--schema", schema]).is(0);
        run(&database, &["drop", "--yes", "--schema", schema]).is(0);
        discard(database).await;
    }
}

#[test]
fn wrong_values_are_refused() {
    for (arguments, word) in [
        (&["load", "-s", "0"][..], "1..=100000"),
        (&["load", "-s", "100001"], "1..=100000"),
        (&["load", "--max-write", "20"], "20MB/s"),
        (&["load", "--fillfactor", "9"], "10..=100"),
        (&["run", "-b", "tpcb"], "tpcb-like"),
        (&["run", "-N", "-S"], "cannot be used with"),
    ] {
        let ended: Ended = tpcc_alone()
            .arg("tpcb")
            .args(arguments)
            .output()
            .unwrap()
            .into();
        ended.is(2).says(&[word]);
    }
}
