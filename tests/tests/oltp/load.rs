//! The tables as sysbench makes them, and loads that meet trouble.

use std::process::Stdio;

use tests::signal;

use super::*;

/// What sysbench's tables are: columns with their defaults, keys and indexes, sequences.
const SHAPE: &str = "
    SELECT c.relname, c.relkind, c.relpersistence,
           (SELECT string_agg(format('%s %s %s %s', attname, format_type(atttypid, atttypmod), attnotnull,
                                     pg_get_expr(d.adbin, d.adrelid)), ', ' ORDER BY attnum)
            FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE attrelid = c.oid AND attnum > 0),
           (SELECT string_agg(pg_get_indexdef(indexrelid), ', ' ORDER BY indexrelid::regclass::text)
            FROM pg_index WHERE indrelid = c.oid),
           pg_get_serial_sequence(c.relname, 'id')
    FROM pg_class c WHERE relname ~ '^sbtest' AND relkind = 'r' ORDER BY 1";
/// The same rows give the same.
const ROWS: &str = "
    SELECT md5(string_agg(t::text, ';' ORDER BY id)) FROM sbtest1 t
    UNION ALL SELECT md5(string_agg(t::text, ';' ORDER BY id)) FROM sbtest2 t";

#[tokio::test]
async fn tables_are_sysbenchs_whoever_makes_the_rows() {
    let sizes = ["load", "--tables", "2", "--table-size", "1000"];
    let its = empty().await;
    sysbench(&its, &["oltp_read_write", "prepare"]).is(0);
    let them = its.connect().await;
    let shape = sql::table(&them, SHAPE).await;
    let mut rows = Vec::new();
    for flavour in ["native", "plpgsql"] {
        let mine = with_extension().await;
        run(
            &mine,
            &[&sizes[..], &["-c", "2", "--flavour", flavour]].concat(),
        )
        .is(0)
        .shows(&["2 tables of 1,000 rows", "2,000 rows written"]);
        let us = mine.connect().await;
        assert_eq!(sql::table(&us, SHAPE).await, shape, "{flavour}");
        rows.push(sql::table(&us, ROWS).await);
        // The next one that anybody inserts follows the last one.
        let next = "INSERT INTO sbtest2 (k) VALUES (1) RETURNING id";
        assert_eq!(sql::number(&us, next).await, 1_001);
        drop(us);
        discard(mine).await;
    }
    assert_eq!(rows[0], rows[1]);
    // Of sysbench's rows the same holds as of ours.
    run(&its, &["check"]).is(0).shows(&["sbtest2", "ok"]);
    sql::run(&them, "UPDATE sbtest1 SET c = 'x' WHERE id = 7").await;
    run(&its, &["check"]).is(1).shows(&["BROKEN"]);
    drop(them);
    run(&its, &["drop", "--yes"]).is(0).shows(&["2 tables"]);
    run(&its, &["drop", "--yes"])
        .is(0)
        .shows(&["none of sysbench's tables"]);
    discard(its).await;
}

#[tokio::test]
async fn the_seed_and_the_distribution_make_the_rows() {
    let database = empty().await;
    let client = database.connect().await;
    let mut seen = Vec::new();
    for arguments in [
        &["--seed", "1"][..],
        &["--seed", "1", "-c", "1"],
        &["--seed", "-2"],
        &["--rand-type", "uniform"],
    ] {
        run(
            &database,
            &[
                &["load", "--tables", "2", "-c", "2"][..2],
                &["2"],
                arguments,
            ]
            .concat(),
        )
        .is(0);
        seen.push(sql::table(&client, ROWS).await);
        run(&database, &["drop", "--yes"]).is(0);
    }
    assert_eq!(seen[0], seen[1]);
    assert_ne!(seen[0], seen[2]);
    assert_ne!(seen[0], seen[3]);
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn a_load_survives_lost_connections_and_a_kill() {
    for flavour in ["native", "plpgsql"] {
        let database = with_extension().await;
        let client = database.connect().await;
        let load = [
            "load",
            "--flavour",
            flavour,
            "--tables",
            "2",
            "--table-size",
            "120000",
            "-c",
            "2",
        ];
        let slow = [&load[..], &["--max-write", "30MB/s"]].concat();
        let terminate = |query: &str| {
            format!(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() \
                 AND application_name = 'tpcc oltp load' AND query ~ '{query}'"
            )
        };
        let mut child = oltp(&database, &slow)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        eventually("a backend that writes", LIMIT, async || {
            let found = sql::number(&client, &terminate("^(COPY|SELECT .*oltp_write_rows)")).await;
            found > 0
        })
        .await;
        let state = "SELECT to_regclass('oltp_load') IS NOT NULL";
        eventually("chunks", LIMIT, async || {
            sql::value(&client, state).await == "t"
                && sql::number(&client, "SELECT count(*) FROM oltp_load").await >= 3
        })
        .await;
        child.kill().unwrap();
        let ended: Ended = child.wait_with_output().unwrap().into();
        ended.says(&["a connection was lost"]);
        run(&database, &["run", "-T", "1s"])
            .is(1)
            .says(&["loaded in part only", "tpcc oltp load"]);
        run(&database, &["load", "--tables", "3"])
            .is(1)
            .says(&["a load that was not finished", "tpcc oltp drop"]);
        run(&database, &load)
            .is(0)
            .says(&["of 4 chunks loaded, going on"]);
        run(&database, &["check"])
            .is(0)
            .shows(&["120000 rows, ids 1 to 120000"]);
        run(&database, &load).is(1).says(&["tpcc oltp drop"]);
        drop(client);
        discard(database).await;
    }
}

#[tokio::test]
async fn ctrl_c_ends_a_load_and_a_drop_keeps_out() {
    let database = empty().await;
    let client = database.connect().await;
    let load = ["load", "--table-size", "150000", "-c", "2"];
    let child = oltp(&database, &[&load[..], &["--max-write", "20MB/s"]].concat())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    eventually("the load", LIMIT, async || {
        let at_work = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%'";
        sql::number(&client, at_work).await > 0
    })
    .await;
    run(&database, &["drop", "--yes"])
        .is(1)
        .says(&["another load, drop or run"]);
    signal(&child, "INT");
    let ended: Ended = child.wait_with_output().unwrap().into();
    ended.is(1).says(&["interrupted", "goes on"]);
    run(&database, &load).is(0);
    run(&database, &["check"]).is(0);
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn rows_are_written_only_where_they_belong() {
    let database = with_extension().await;
    let client = database.connect().await;
    let fails = async |arguments: &str, sqlstate: &str, word: &str| {
        let call = format!("SELECT oltp_write_rows({arguments})");
        sql::fails(&client, &call, sqlstate, &[word]).await;
    };
    fails("'public', 1, 1, 10, 100", "42P01", "sbtest1").await;
    run(&database, &["load", "--table-size", "100"]).is(0);
    fails("'public', 1, 1, 10, 100", "23505", "sbtest1_pkey").await;
    fails("'public', 0, 1, 10, 100", "22023", "1 to 1000").await;
    fails("'public', 1, 0, 10, 100", "22023", "first").await;
    fails("'public', 1, 20, 10, 100", "22023", "first").await;
    fails("'public', 1, 1, 101, 100", "22023", "table_size").await;
    fails("NULL, 1, 1, 10, 100", "22004", "schema").await;
    fails(
        "'public', 1, 1, 10, 100, knobs => '{\"a\": 1}'",
        "22023",
        "rand_type",
    )
    .await;
    sql::run(&client, "ALTER TABLE sbtest1 ALTER k TYPE int8").await;
    fails("'public', 1, 101, 110, 200", "TC006", "k as bigint").await;
    assert_eq!(
        sql::number(&client, "SELECT count(*) FROM sbtest1").await,
        100
    );
    drop(client);
    discard(database).await;
}
