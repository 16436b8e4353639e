//! How a run ends, and what it survives.

use super::*;

#[tokio::test]
async fn an_interrupt_gives_a_partial_result_and_leaves_nothing_behind() {
    let database = loaded(1).await;
    let session = database.connect().await;
    for mode in ["udf", "statements", "server"] {
        let json = file(&format!("interrupted-{mode}"));
        let before = traces(&session, "tpcc").await;
        let child = tpcc(
            &database,
            &["-M", mode, "-T", "10min", "-c", "2", "-P", "0"],
        )
        .arg("--json")
        .arg(&json)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
        let entered = format!(
            "SELECT sum(d_next_o_id) > {} FROM tpcc.district",
            before.0 + 5
        );
        sql::until(&session, &entered).await;
        signal(&child, "INT");
        let ended: Ended = child.wait_with_output().unwrap().into();
        ended.is(0).says(&["partial"]);
        nobody(&database).await;
        let document = read(&json).remove(0);
        assert!(document.partial, "{mode}");
        let committed = document.types[0].counters.committed as i64;
        let after = traces(&session, "tpcc").await;
        assert_eq!(committed, after.0 - before.0, "{mode}");
        assert!(document.accounting.balanced);
        consistent(&session, "tpcc").await;
    }
    discard(database).await;
}

#[tokio::test]
async fn a_second_interrupt_leaves_at_once() {
    let database = loaded(1).await;
    let session = database.connect().await;
    let json = file("left");
    std::fs::write(&json, "kept").unwrap();
    // Somebody holds the row that every payment needs, so that no transaction comes to its end.
    sql::run(&session, "BEGIN; UPDATE tpcc.warehouse SET w_ytd = w_ytd").await;
    let mut child = tpcc(
        &database,
        &["--mix", "payment=100", "-T", "10min", "-c", "2"],
    )
    .arg("--json")
    .arg(&json)
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    running(&database, 2).await;
    signal(&child, "INT");
    eventually("it has gone", Duration::from_secs(20), async || {
        interrupt_if_running(&mut child);
        child.try_wait().unwrap().is_some()
    })
    .await;
    assert_eq!(child.wait().unwrap().code(), Some(130));
    sql::run(&session, "ROLLBACK").await;
    nobody(&database).await;
    assert_eq!(std::fs::read_to_string(&json).unwrap(), "kept");
    std::fs::remove_file(&json).unwrap();
    consistent(&session, "tpcc").await;
    discard(database).await;
}

#[tokio::test]
async fn a_transaction_that_hangs_at_the_end_is_cancelled_and_counted() {
    let database = loaded(1).await;
    let session = database.connect().await;
    sql::run(&session, "BEGIN; UPDATE tpcc.warehouse SET w_ytd = w_ytd").await;
    // Order-Status needs no lock, so that something goes well.
    let document = document(
        &database,
        "hangs",
        &[
            "--mix",
            "payment=50,order_status=50",
            "-T",
            "500ms",
            "-c",
            "1",
            "-P",
            "0",
        ],
    );
    sql::run(&session, "ROLLBACK").await;
    assert_eq!(document.total.counters.failed, 1);
    assert_eq!(document.errors[0].sqlstate, "57014");
    assert!(document.accounting.balanced);
    nobody(&database).await;
    discard(database).await;
}

#[tokio::test]
async fn a_lost_connection_is_opened_again_and_the_outage_is_told() {
    let database = loaded(1).await;
    let witness = database.cluster().witness().await;
    let session = database.connect().await;
    let before = traces(&session, "tpcc").await;
    let json = file("lost");
    let child = tpcc(&database, &["-T", "3s", "-c", "3", "-P", "0"])
        .arg("--json")
        .arg(&json)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    at_work(&session, before.0).await;
    let ended = sql::number(
        &witness,
        &format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
             WHERE datname = '{}' AND application_name = 'tpcc' AND query LIKE '%tpcc\\_%'",
            database.name()
        ),
    )
    .await;
    let output: Ended = child.wait_with_output().unwrap().into();
    output.is(0);
    let document = read(&json).remove(0);
    let client = document.client.as_ref().unwrap();
    assert_eq!(client.reconnects, ended as u64);
    let lost: u32 = client.outages.iter().map(|outage| outage.connections).sum();
    assert_eq!(i64::from(lost), ended);
    assert!(client.outages.iter().all(|outage| outage.to_s.is_some()));
    assert!(document.accounting.balanced);
    assert!(output.stdout.contains("outage at"), "{}", output.stdout);
    discard(database).await;
}

#[tokio::test]
async fn a_restart_of_the_server_is_survived() {
    let cluster = Cluster::private();
    let database = cluster.fresh_database().await;
    let session = database.connect().await;
    sql::run(&session, "SELECT * FROM tpcc_load(1, 2)").await;
    let before = traces(&session, "tpcc").await;
    let json = file("restart");
    let child = tpcc(&database, &["-T", "6s", "-c", "3", "-P", "0"])
        .arg("--json")
        .arg(&json)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    at_work(&session, before.0).await;
    drop(session);
    cluster.restart(Shutdown::Fast);
    let ended: Ended = child.wait_with_output().unwrap().into();
    ended.is(0);
    let document = read(&json).remove(0);
    let client = document.client.as_ref().unwrap();
    assert_eq!(client.reconnects, 3);
    let outage = &client.outages[0];
    assert!(outage.to_s.unwrap() > outage.from_s, "{outage:?}");
    let session = database.connect().await;
    let entered = traces(&session, "tpcc").await.0 - before.0;
    let committed = document.types[0].counters.committed as i64;
    // One whose answer was lost with its connection may have been committed all the same.
    assert!((committed..=committed + 3).contains(&entered));
    consistent(&session, "tpcc").await;
}

#[tokio::test]
async fn a_run_keeps_loads_and_drops_out_and_holds_no_snapshot() {
    let database = loaded(1).await;
    let session = database.connect().await;
    let child = tpcc(&database, &["-T", "10min", "-c", "1", "-P", "0"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let held = "SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) \
                WHERE l.locktype = 'advisory' AND a.datname = current_database())";
    sql::until(&session, held).await;
    sql::fails(&session, "SELECT tpcc_drop()", "TC004", &["is going on"]).await;
    sql::fails(
        &session,
        "SELECT * FROM tpcc_load(2)",
        "TC004",
        &["is going on"],
    )
    .await;
    let holder = "SELECT a.backend_xmin IS NULL FROM pg_locks l JOIN pg_stat_activity a USING (pid) \
                  WHERE l.locktype = 'advisory' AND a.datname = current_database()";
    sql::until(&session, holder).await;
    signal(&child, "INT");
    nobody(&database).await;
    let mut child = child;
    child.wait().unwrap();

    let load = "BEGIN; SELECT pg_advisory_xact_lock(1953522531, hashtext('tpcc'))";
    sql::run(&session, load).await;
    run(&database, &["-T", "1s"])
        .is(1)
        .says(&["a load or drop of schema", "wait"]);
    sql::run(&session, "ROLLBACK").await;
    discard(database).await;
}

#[tokio::test]
async fn results_of_the_modes_before_a_failure_are_kept() {
    let database = loaded(1).await;
    let client = database.connect().await;
    sql::run(&client, "ALTER FUNCTION tpcc_run RENAME TO elsewhere").await;
    drop(client);
    let json = file("kept");
    let arguments = ["-M", "all", "-T", "1s", "-c", "2", "-P", "0"];
    let mut command = tpcc(&database, &arguments);
    let ended: Ended = command.arg("--json").arg(&json).output().unwrap().into();
    ended.is(1).says(&["tpcc_run"]);
    assert!(ended.stdout.contains("Mode udf"), "{}", ended.stdout);
    let modes: Vec<Mode> = read(&json).iter().map(|document| document.mode).collect();
    assert_eq!(modes, [Mode::Statements, Mode::Pipelined, Mode::Udf]);
    discard(database).await;
}

#[tokio::test]
async fn a_load_and_a_drop_say_that_the_server_takes_no_writes() {
    let database = loaded(1).await;
    let tpcc = |verb: &[&str]| {
        let mut command = database.cluster().tpcc(database.name(), "postgres");
        command
            .env("PGOPTIONS", "-c default_transaction_read_only=on")
            .args(verb);
        let ended: Ended = command.output().unwrap().into();
        ended.is(1).says(&[
            "the server takes no writes",
            "default_transaction_read_only",
        ]);
    };
    tpcc(&["load", "--warehouses", "2"]);
    tpcc(&["load", "--warehouses", "2", "--flavour", "plpgsql"]);
    tpcc(&["drop", "--yes"]);
    for workload in ["tpcb", "oltp", "scan"] {
        tpcc(&[workload, "load"]);
        tpcc(&[workload, "drop", "--yes"]);
    }
    discard(database).await;
}
