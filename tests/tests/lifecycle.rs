//! How runs and loads end before their time: cancelled, terminated, stopped, shut down, abandoned. Each time a witness in
//! another database stays connected, and no worker is left within two seconds, even one that waits for a row lock.

use std::time::{Duration, Instant};

use tests::{Cluster, Connection, Database, Shutdown, discard, loaded, sql};
use tokio_postgres::error::DbError;

const LEAVE: Duration = Duration::from_secs(2);

/// A run or load under way, seen from the witness.
struct Scene<'a> {
    database: Database<'a>,
    leader: Connection,
    leader_pid: i32,
    witness: Connection,
}

impl<'a> Scene<'a> {
    async fn new(database: Database<'a>) -> Scene<'a> {
        let leader = database.connect().await;
        let leader_pid = leader.pid().await;
        let witness = database.cluster().witness().await;
        Scene {
            database,
            leader,
            leader_pid,
            witness,
        }
    }

    /// `SELECT count(*)` of this database's workers that meet a condition.
    fn workers(&self, condition: &str) -> String {
        let name = self.database.name();
        format!(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'pg\\_tpcc%' AND datname = '{name}' AND {condition}"
        )
    }

    async fn until_workers(&self, number: usize, condition: &str) {
        sql::until(
            &self.witness,
            &format!("SELECT ({}) = {number}", self.workers(condition)),
        )
        .await;
    }

    /// Locks every warehouse and district, so that each terminal ends up waiting for a row lock.
    async fn locker(&self) -> Connection {
        let locker = self.database.connect().await;
        sql::run(
            &locker,
            "BEGIN; SELECT FROM tpcc.district FOR UPDATE; SELECT FROM tpcc.warehouse FOR UPDATE",
        )
        .await;
        locker
    }

    /// Asserts that no worker is left in time, and that the witness has lived through it.
    async fn all_left(&self) {
        let nobody = format!("SELECT ({}) = 0", self.workers("true"));
        assert!(
            sql::within(&self.witness, LEAVE, &nobody).await,
            "workers are left after {LEAVE:?}"
        );
    }
}

/// What became of a statement of the leader: its error, or none when it came through.
async fn outcome(leader: &Connection, statement: &str) -> Option<Result<DbError, String>> {
    match leader.simple_query(statement).await {
        Ok(_) => None,
        Err(error) => Some(
            error
                .as_db_error()
                .cloned()
                .ok_or_else(|| error.to_string()),
        ),
    }
}

fn sqlstate(outcome: Option<Result<DbError, String>>) -> String {
    match outcome {
        None => "none".into(),
        Some(Ok(error)) => error.code().code().into(),
        Some(Err(broken)) => broken,
    }
}

const RUN: &str = "SELECT * FROM tpcc_run('10min', workers => 4)";

#[tokio::test]
async fn a_cancelled_run_leaves_no_worker() {
    let scene = Scene::new(loaded(1).await).await;
    let _locker = scene.locker().await;
    let (ended, ()) = tokio::join!(outcome(&scene.leader, RUN), async {
        scene.until_workers(4, "wait_event_type = 'Lock'").await;
        sql::run(
            &scene.witness,
            &format!("SELECT pg_cancel_backend({})", scene.leader_pid),
        )
        .await;
        scene.all_left().await;
    });
    assert_eq!(sqlstate(ended), "57014");
    // The session goes on, and so does the next run.
    let ended = outcome(&scene.leader, "SET statement_timeout = '300ms'").await;
    assert_eq!(sqlstate(ended), "none");
    assert_eq!(
        sqlstate(outcome(&scene.leader, RUN).await),
        "57014",
        "a statement timeout is a cancel, too"
    );
    scene.all_left().await;
    discard(scene.database).await;
}

#[tokio::test]
async fn a_run_whose_leader_is_terminated_leaves_no_worker() {
    let scene = Scene::new(loaded(1).await).await;
    let _locker = scene.locker().await;
    let (ended, ()) = tokio::join!(outcome(&scene.leader, RUN), async {
        scene.until_workers(4, "wait_event_type = 'Lock'").await;
        sql::run(
            &scene.witness,
            &format!("SELECT pg_terminate_backend({})", scene.leader_pid),
        )
        .await;
        scene.all_left().await;
    });
    assert_ne!(sqlstate(ended), "none");
    discard(scene.database).await;
}

#[tokio::test]
async fn a_run_whose_caller_vanishes_leaves_no_worker() {
    let scene = Scene::new(loaded(1).await).await;
    let _locker = scene.locker().await;
    let abandoned = scene.database.connect().await;
    let pid = abandoned.pid().await;
    {
        let mut running = Box::pin(abandoned.simple_query(RUN));
        tokio::select! {
            _ = &mut running => panic!("the run ended by itself"),
            () = scene.until_workers(4, "wait_event_type = 'Lock'") => {}
        }
    }
    // The connection is closed without a word, as by a client that was killed.
    drop(abandoned);
    scene.all_left().await;
    let gone = format!("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = {pid})");
    assert!(
        sql::within(&scene.witness, LEAVE, &gone).await,
        "the leader is left"
    );
    discard(scene.database).await;
}

#[tokio::test]
async fn a_run_that_loses_a_worker_ends_with_an_error() {
    let scene = Scene::new(loaded(1).await).await;
    let _locker = scene.locker().await;
    let (ended, ()) = tokio::join!(outcome(&scene.leader, RUN), async {
        scene.until_workers(4, "wait_event_type = 'Lock'").await;
        let one = scene
            .workers("backend_type LIKE '%2'")
            .replace("count(*)", "pg_terminate_backend(pid)");
        assert_eq!(sql::value(&scene.witness, &one).await, "t");
        scene.all_left().await;
    });
    let error = ended.expect("an error").expect("a living session");
    assert!(
        ["TC005", "57P01"].contains(&error.code().code()),
        "{}: {}",
        error.code().code(),
        error.message()
    );
    assert!(error.message().contains("worker 2"), "{}", error.message());
    assert_eq!(sql::value(&scene.leader, "SELECT 1").await, "1");
    discard(scene.database).await;
}

#[tokio::test]
async fn stop_ends_a_run_early_with_a_partial_result() {
    let scene = Scene::new(loaded(1).await).await;
    let other = scene.database.connect().await;
    let run = RUN.replace('*', "transaction, committed, failed");
    let (rows, ()) = tokio::join!(sql::table(&scene.leader, &run), async {
        sql::until(&other, "SELECT sum(d_next_o_id) > 30100 FROM tpcc.district").await;
        // Now every terminal waits for a lock: the run waits for them for a while, and then ends them.
        let _locker = scene.locker().await;
        scene.until_workers(4, "wait_event_type = 'Lock'").await;
        assert_eq!(sql::value(&other, "SELECT tpcc_stop()").await, "1");
        scene.until_workers(0, "true").await;
    });
    let total: Vec<&Vec<String>> = rows.iter().filter(|row| row[0] == "total").collect();
    assert!(total[0][1].parse::<i64>().unwrap() > 100, "{rows:?}");
    let kept =
        "SELECT partial, result ->> 'partial_reason' IS NOT NULL, elapsed_s < 590 FROM tpcc_runs";
    assert_eq!(sql::table(&other, kept).await, [["t", "t", "t"]]);
    assert!(
        scene
            .leader
            .notices()
            .iter()
            .any(|notice| notice.contains("partial")),
        "{:?}",
        scene.leader.notices()
    );
    // What was not finished was rolled back, not half committed.
    assert_eq!(
        sql::value(&other, "SELECT count(*) FROM tpcc_check() WHERE holds").await,
        "12"
    );
    assert_eq!(
        sql::value(&other, "SELECT tpcc_stop()").await,
        "0",
        "nothing to stop is no error"
    );
    discard(scene.database).await;
}

#[tokio::test]
async fn a_fast_shutdown_is_not_held_up_by_a_run() {
    let cluster = Cluster::private();
    let database = cluster.fresh_database().await;
    let scene = Scene::new(database).await;
    sql::run(&scene.leader, "SELECT * FROM tpcc_load(1)").await;
    let _locker = scene.locker().await;
    let (ended, took) = tokio::join!(outcome(&scene.leader, RUN), async {
        scene.until_workers(4, "wait_event_type = 'Lock'").await;
        let start = Instant::now();
        cluster.stop(Shutdown::Fast);
        start.elapsed()
    });
    assert_ne!(sqlstate(ended), "none");
    assert!(took < Duration::from_secs(10), "the shutdown took {took:?}");
    let log = cluster.log();
    assert!(
        log.contains("database system is shut down")
            && !log.contains("PANIC")
            && !log.contains("was terminated by signal"),
        "{log}"
    );
    cluster.start();
    let client = scene.database.connect().await;
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc_check() WHERE holds").await,
        "12"
    );
}

#[tokio::test]
async fn the_waiting_session_does_not_hold_back_the_horizon() {
    let scene = Scene::new(loaded(1).await).await;
    let other = scene.database.connect().await;
    sql::run(
        &other,
        "CREATE TABLE dead AS SELECT generate_series(1, 10000) AS n",
    )
    .await;
    let (_, ()) = tokio::join!(sql::rows(&scene.leader, RUN), async {
        sql::until(&other, "SELECT sum(d_next_o_id) > 30010 FROM tpcc.district").await;
        let horizon = format!(
            "SELECT state = 'active' AND backend_xmin IS NULL AND backend_xid IS NULL FROM pg_stat_activity WHERE pid = {}",
            scene.leader_pid
        );
        assert_eq!(sql::value(&scene.witness, &horizon).await, "t");
        // Rows that died after the run began can be removed while it goes on.
        sql::run(&other, "DELETE FROM dead").await;
        while sql::number(&other, "SELECT pg_relation_size('dead')").await > 0 {
            assert_eq!(sql::value(&scene.witness, &horizon).await, "t");
            sql::run(&other, "VACUUM dead").await;
        }
        sql::run(&other, "SELECT tpcc_stop()").await;
    });
    discard(scene.database).await;
}

#[tokio::test]
async fn too_few_worker_slots_are_told_before_anything_starts() {
    let cluster = Cluster::private_with(&[("max_worker_processes", "3")]);
    let database = cluster.fresh_database().await;
    let client = database.connect().await;
    let error = sql::fails(&client, "SELECT * FROM tpcc_load(8, 8)", "53400", &["8"]).await;
    assert!(
        error
            .hint()
            .is_some_and(|hint| hint.contains("max_worker_processes")),
        "{error:?}"
    );
    assert_eq!(
        sql::value(
            &client,
            "SELECT count(*) FROM pg_namespace WHERE nspname = 'tpcc'"
        )
        .await,
        "0"
    );
    sql::run(&client, "SELECT * FROM tpcc_load(1, 1)").await;
    let error = sql::fails(
        &client,
        "SELECT * FROM tpcc_run('1s', workers => 20)",
        "53400",
        &["20"],
    )
    .await;
    assert!(
        error
            .hint()
            .is_some_and(|hint| hint.contains("max_worker_processes")),
        "{error:?}"
    );
    assert_eq!(
        sql::value(&client, "SELECT sum(d_next_o_id) FROM tpcc.district").await,
        "30010"
    );
}

#[tokio::test]
async fn runs_and_loads_are_refused_where_they_would_hold_a_snapshot() {
    let database = loaded(1).await;
    let client = database.connect().await;
    sql::run(&client, "CREATE FUNCTION wrapped() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM tpcc_run('1s') $$").await;
    for statement in ["SELECT * FROM tpcc_run('1s')", "SELECT * FROM tpcc_load(2)"] {
        for isolation in ["READ COMMITTED", "SERIALIZABLE"] {
            sql::run(&client, &format!("BEGIN ISOLATION LEVEL {isolation}")).await;
            let error = sql::fails(&client, statement, "25001", &[]).await;
            assert!(error.hint().is_some(), "a hint how to call it: {error:?}");
            sql::run(&client, "ROLLBACK").await;
        }
    }
    sql::fails(&client, "SELECT wrapped()", "25001", &[]).await;
    sql::fails(
        &client,
        "DO $$ BEGIN PERFORM * FROM tpcc_run('1s'); END $$",
        "25001",
        &[],
    )
    .await;
    sql::fails(
        &client,
        "SELECT * FROM tpcc.warehouse, tpcc_run('1s')",
        "25001",
        &[],
    )
    .await;
    assert_eq!(
        sql::value(&client, "SELECT sum(d_next_o_id) FROM tpcc.district").await,
        "30010"
    );
    discard(database).await;
}
