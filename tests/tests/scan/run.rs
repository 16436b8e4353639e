//! `tpcc scan run`: what is measured is what the server did, and nothing of it stays.

use std::path::PathBuf;

use serde_json::Value;
use tests::{Cluster, Connection, discard, signal, sql};

use crate::{Place, assert_says, end_of, said};

const ROWS: &str = "200000";

/// A file for a result, gone with the test.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> File {
        let name = format!("tpcc-scan-{}-{name}.json", std::process::id());
        File(std::env::temp_dir().join(name))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(&self.0).unwrap()).unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // A test that failed before it was written has none.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What a run could have left: the table's own options, and settings of roles and databases.
async fn traces(client: &Connection) -> Vec<Vec<String>> {
    let sql = "SELECT (SELECT reloptions::text FROM pg_class WHERE oid = 'tpcc_scan.scan_bits'::regclass), \
                      (SELECT count(*) FROM pg_db_role_setting), \
                      (SELECT count(*) FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf')";
    sql::table(client, sql).await
}

#[tokio::test]
async fn each_degree_has_its_workers_and_leaves_nothing_behind() {
    // For itself, so that nobody else takes workers.
    let cluster = Cluster::private();
    let place = Place::new(&cluster).await;
    let client = place.connect().await;
    place.succeeds(&["load", "--rows", ROWS]);
    let before = traces(&client).await;
    let file = File::new("degrees");
    // More than max_parallel_workers, which is 8.
    let said = place.succeeds(&[
        "run",
        "--degrees",
        "2,9,1",
        "--runs",
        "2",
        "--json",
        file.path(),
    ]);
    assert_says(
        &said,
        &["Amdahl's serial share: ", "200,000 rows", "speed-up"],
    );
    assert_eq!(traces(&client).await, before);
    let document = file.json();
    assert_eq!(document["format"], "pg_tpcc scan result");
    assert_eq!(document["server"]["max_parallel_workers"], 8);
    let steps = document["steps"].as_array().unwrap();
    let degrees: Vec<_> = steps
        .iter()
        .map(|step| step["degree"].as_u64().unwrap())
        .collect();
    assert_eq!(degrees, [0, 1, 2, 9]);
    for step in steps {
        let runs = step["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 2, "{step}");
        for run in runs {
            assert_eq!(run["planned"], step["degree"], "{step}");
            assert_eq!(run["launched"], step["degree"], "{step}");
            let blocks = run["hit_blocks"].as_u64().unwrap() + run["read_blocks"].as_u64().unwrap();
            assert!(blocks * 8192 >= 200_000 * 50, "{step}");
        }
        assert!(step["speed_up"].as_f64().unwrap() > 0.0, "{step}");
    }
    assert!(document["serial_share"].is_f64());
    let counted = sql::value(&client, "SELECT sum(matching) FROM tpcc_scan.scan_load").await;
    assert_eq!(document["server"]["matching"].to_string(), counted);

    let mut report = cluster.tpcc(place.database.name(), "postgres");
    let report = report.args(["report", file.path()]).output().unwrap();
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(
        report.contains("Amdahl") && said.contains(&report),
        "{report}\nis not in\n{said}"
    );
}

#[tokio::test]
async fn cold_and_warm_runs_are_told_apart() {
    let cluster = Cluster::private();
    let place = Place::new(&cluster).await;
    place.succeeds(&["load", "--rows", ROWS]);
    // The shared buffers are empty after a restart; the table is smaller than a quarter of them.
    cluster.restart(tests::Shutdown::Fast);
    place.connect().await;
    let said = place.succeeds(&["run", "--degrees", "0"]);
    assert_says(
        &said,
        &["degree 0, run 1 of 3", " cold, ", "Some runs were cold"],
    );
    assert!(said.matches("ms, cold\n").count() == 1, "{said}");
    assert!(said.matches("ms, warm\n").count() == 2, "{said}");
}

#[tokio::test]
async fn workers_that_were_not_launched_give_no_speed_up() {
    let cluster = Cluster::private_with(&[("max_parallel_workers", "0")]);
    let place = Place::new(&cluster).await;
    place.succeeds(&["load", "--rows", ROWS]);
    let file = File::new("none");
    let said = place.succeeds(&[
        "run",
        "--degrees",
        "2",
        "--runs",
        "1",
        "--json",
        file.path(),
    ]);
    let words = [
        "max_parallel_workers is 0, and no worker will be launched",
        "Degree 2: 2 workers were planned and 0 launched, so that it has no speed-up",
        "serial share: unknown",
    ];
    assert_says(&said, &words);
    let step = &file.json()["steps"][1];
    assert_eq!(
        (&step["runs"][0]["planned"], &step["runs"][0]["launched"]),
        (&2.into(), &0.into())
    );
    assert!(
        step["speed_up"].is_null() && step["efficiency"].is_null(),
        "{step}"
    );
    assert_says(&place.succeeds(&["run"]), &["only degree 0 is measured"]);
}

#[tokio::test]
async fn who_may_only_read_measures_what_the_planner_gives() {
    let place = Place::new(Cluster::shared()).await;
    place.succeeds(&["load", "--rows", ROWS]);
    let reader = Cluster::shared().fresh_role().await;
    let grant = format!(
        "GRANT USAGE ON SCHEMA tpcc_scan TO {reader}; \
                         GRANT SELECT ON ALL TABLES IN SCHEMA tpcc_scan TO {reader}"
    );
    sql::run(&*place.connect().await, &grant).await;
    let Place { database, .. } = place;
    let place = Place {
        database,
        role: reader,
    };
    let said = place.succeeds(&["run", "--degrees", "1,40", "--runs", "1"]);
    let words = [
        "the role does not own the table",
        "the planner found the table not worth more",
    ];
    assert_says(&said, &words);
    discard(place.database).await;
}

#[tokio::test]
async fn a_session_that_takes_no_writes_and_no_part_is_measured_too() {
    let cluster = Cluster::private();
    let place = Place::new(&cluster).await;
    place.succeeds(&["load", "--rows", ROWS]);
    let file = File::new("passive");
    let mut run = place.command(&[
        "run",
        "--degrees",
        "2",
        "--runs",
        "4",
        "--json",
        file.path(),
    ]);
    run.env(
        "PGOPTIONS",
        "-c default_transaction_read_only=on -c parallel_leader_participation=off",
    );
    let (status, said) = said(run.output().unwrap());
    assert_eq!(status, Some(0), "{said}");
    assert_says(&said, &["the server takes no writes", " of 4 cold"]);
    let step = &file.json()["steps"][1];
    assert_eq!(
        (&step["degree"], &step["processes"]),
        (&2.into(), &2.into())
    );
}

#[tokio::test]
async fn ctrl_c_cancels_the_count_and_keeps_what_was_measured() {
    let place = Place::new(Cluster::shared()).await;
    place.succeeds(&["load", "--rows", ROWS]);
    let holder = place.connect().await;
    let client = place.connect().await;
    let waiting = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() \
                   AND wait_event_type = 'Lock')";
    // Only what sets the table's workers has to wait for this one: degree 0 is measured.
    sql::run(
        &holder,
        "BEGIN; LOCK TABLE tpcc_scan.scan_bits IN SHARE UPDATE EXCLUSIVE MODE",
    )
    .await;
    let file = File::new("partial");
    let child = place.start(&[
        "run",
        "--max-degree",
        "1",
        "--runs",
        "1",
        "--json",
        file.path(),
    ]);
    sql::until(&client, waiting).await;
    signal(&child, "INT");
    let (status, said) = end_of(child).await;
    assert_eq!(status, Some(0), "{said}");
    assert_says(
        &said,
        &["cancelling the count", "The result is partial: interrupted"],
    );
    let document = file.json();
    assert_eq!(document["steps"].as_array().unwrap().len(), 1);
    assert_eq!(document["partial_reason"], "interrupted");
    sql::until(&client, &format!("SELECT NOT ({waiting})")).await;

    // Nobody presses Ctrl-C: it gives up by itself, and what was measured is there all the same.
    let (status, said) = end_of(place.start(&["run", "--max-degree", "1", "--runs", "1"])).await;
    assert_eq!(status, Some(1), "{said}");
    assert_says(&said, &["another scan or a vacuum is at work", "median"]);

    // Nothing was measured: there is no result.
    sql::run(&holder, "ROLLBACK; BEGIN; LOCK TABLE tpcc_scan.scan_bits").await;
    let child = place.start(&["run", "--max-degree", "1", "--runs", "1"]);
    sql::until(&client, waiting).await;
    signal(&child, "INT");
    let (status, said) = end_of(child).await;
    assert_eq!(status, Some(1), "{said}");
    sql::until(&client, &format!("SELECT NOT ({waiting})")).await;
    sql::run(&holder, "ROLLBACK").await;
    discard(place.database).await;
}
