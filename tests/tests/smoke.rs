//! The set-up itself: a server starts, has the extension, and survives what the tests do to it.

use std::time::Duration;

use tests::{Cluster, Shutdown, eventually};

#[tokio::test]
async fn a_fresh_database_has_the_extension() {
    let database = Cluster::shared().fresh_database().await;
    let session = database.connect().await;
    let sql = "SELECT extversion FROM pg_extension WHERE extname = 'pg_tpcc'";
    let version: String = session.query_one(sql, &[]).await.unwrap().get(0);
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}

#[tokio::test]
async fn notices_are_captured_in_order() {
    let session = Cluster::shared().witness().await;
    let sql = "DO $$ BEGIN RAISE NOTICE 'one'; RAISE WARNING 'two'; END $$";
    session.batch_execute(sql).await.unwrap();
    assert_eq!(session.notices(), ["one", "two"]);
}

#[tokio::test]
async fn psql_and_pgbench_reach_the_same_database() {
    let database = Cluster::shared().fresh_empty_database().await;
    let output = Cluster::shared()
        .psql(database.name(), "postgres")
        .args(["-c", "SELECT current_database()"])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        database.name()
    );
    let output = Cluster::shared()
        .pgbench(database.name())
        .arg("-iq")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test]
async fn a_private_cluster_survives_a_crash_and_takes_settings() {
    let cluster = Cluster::private_with(&[("max_worker_processes", "3")]);
    let session = cluster.witness().await;
    session
        .batch_execute("CREATE TABLE kept AS SELECT 7 AS n")
        .await
        .unwrap();
    cluster.restart(Shutdown::Immediate);
    eventually("the old session ends", Duration::from_secs(5), async || {
        session.is_closed()
    })
    .await;

    let session = cluster.witness().await;
    let row = session.query_one(
        "SELECT n, current_setting('max_worker_processes') FROM kept",
        &[],
    );
    let row = row.await.unwrap();
    assert_eq!((row.get::<_, i32>(0), row.get::<_, &str>(1)), (7, "3"));

    let folder = cluster.server().place().dir().to_path_buf();
    drop(cluster);
    eventually(
        "its folder is removed",
        Duration::from_secs(5),
        async || !folder.exists(),
    )
    .await;
}
