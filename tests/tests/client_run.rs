//! `tpcc run`: what it counts against what the database holds, and how it ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tests::{Cluster, Connection, Database, Shutdown, client, discard, eventually, loaded, sql};
use workload::TransactionType;
use workload::result::{Flavour, Mode, ResultDocument, ResultSet};

/// What `tpcc` said and how it ended.
struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended {
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ended {
    fn is(&self, status: i32) -> &Ended {
        assert_eq!(
            self.status,
            Some(status),
            "{}\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    fn says(&self, words: &[&str]) -> &Ended {
        for word in words {
            assert!(
                self.stderr.contains(word),
                "\"{}\" does not say \"{word}\"",
                self.stderr
            );
        }
        self
    }
}

/// A path for a file of one test.
fn file(name: &str) -> PathBuf {
    let name = format!("tpcc-run-{}-{name}", std::process::id());
    std::env::temp_dir().join(name)
}

fn tpcc(database: &Database<'_>, arguments: &[&str]) -> Command {
    let mut command = database.cluster().tpcc(database.name(), "postgres");
    command.arg("run").args(arguments).stdin(Stdio::null());
    command
}

fn run(database: &Database<'_>, arguments: &[&str]) -> Ended {
    tpcc(database, arguments).output().unwrap().into()
}

/// Runs with a result file, and gives what is in it.
fn documents(database: &Database<'_>, name: &str, arguments: &[&str]) -> Vec<ResultDocument> {
    let json = file(name);
    let mut command = tpcc(database, arguments);
    let ended: Ended = command.arg("--json").arg(&json).output().unwrap().into();
    ended.is(0);
    read(&json)
}

fn document(database: &Database<'_>, name: &str, arguments: &[&str]) -> ResultDocument {
    let mut documents = documents(database, name, arguments);
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

fn read(json: &Path) -> Vec<ResultDocument> {
    let text = std::fs::read_to_string(json).unwrap();
    std::fs::remove_file(json).unwrap();
    ResultSet::parse(&text).unwrap().results
}

/// What a run leaves: orders entered, payments taken, orders delivered.
async fn traces(session: &Connection, schema: &str) -> (i64, i64, i64) {
    let count = async |what: &str| sql::number(session, what).await;
    (
        count(&format!("SELECT sum(d_next_o_id) FROM {schema}.district")).await,
        count(&format!("SELECT count(*) FROM {schema}.history")).await,
        count(&format!(
            "SELECT count(*) FROM {schema}.orders WHERE o_carrier_id IS NOT NULL"
        ))
        .await,
    )
}

async fn consistent(session: &Connection, schema: &str) {
    let broken = format!("SELECT count(*) FROM tpcc_check('{schema}') WHERE NOT holds");
    assert_eq!(sql::number(session, &broken).await, 0);
}

/// Waits until no session of the client is left.
async fn nobody(database: &Database<'_>) {
    let witness = database.cluster().witness().await;
    let sessions = format!(
        "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = '{}' AND application_name = 'tpcc'",
        database.name()
    );
    sql::until(&witness, &sessions).await;
}

fn shares_add_up(document: &ResultDocument) {
    let client = document.client.as_ref().unwrap();
    for parts in client.parts.values().chain(&client.parts_total) {
        let sum = parts.network.share + parts.server.share + parts.rest.share;
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }
    let total = client.parts_total.unwrap();
    let means = total.network.times.mean_us + total.server.times.mean_us + total.rest.times.mean_us;
    let whole = document.total.service.mean_us;
    assert!((means / whole - 1.0).abs() < 1e-6, "{means} of {whole}");
}

#[tokio::test]
async fn every_mode_counts_what_the_database_holds() {
    let database = loaded(2).await;
    let session = database.connect().await;
    for mode in ["statements", "pipelined", "udf", "server"] {
        let before = traces(&session, "tpcc").await;
        let document = document(
            &database,
            mode,
            &["-M", mode, "-T", "1500ms", "-c", "4", "-j", "2", "-P", "0"],
        );
        let after = traces(&session, "tpcc").await;
        let committed = |t: TransactionType| document.types[t.index()].counters.committed as i64;
        assert_eq!(document.mode.name(), mode);
        assert_eq!(
            committed(TransactionType::NewOrder),
            after.0 - before.0,
            "{mode}"
        );
        assert_eq!(
            committed(TransactionType::Payment),
            after.1 - before.1,
            "{mode}"
        );
        let delivered = committed(TransactionType::Delivery) * 10
            - document.accounting.delivery_skipped_districts as i64;
        assert_eq!(delivered, after.2 - before.2, "{mode}");
        assert!(document.accounting.balanced, "{mode}");
        assert!(committed(TransactionType::NewOrder) > 10, "{mode}");
        assert_eq!(document.errors, [], "{mode}");
        assert!(!document.partial);
        if mode != "server" {
            shares_add_up(&document);
        }
        consistent(&session, "tpcc").await;
    }
    nobody(&database).await;
    discard(database).await;
}

#[tokio::test]
async fn every_mode_counts_without_the_extension_too() {
    let database = loaded(2).await;
    let session = database.connect().await;
    for (mode, more) in [
        ("udf", &[][..]),
        ("statements", &[]),
        ("server", &[]),
        ("server", &["-R", "300", "--arrivals", "fixed"]),
    ] {
        let before = traces(&session, "tpcc").await;
        let mut arguments = vec![
            "--flavour",
            "plpgsql",
            "-M",
            mode,
            "-T",
            "2500ms",
            "-c",
            "4",
            "-P",
            "0",
        ];
        arguments.extend(more);
        let document = document(&database, &format!("plain-{mode}"), &arguments);
        let after = traces(&session, "tpcc").await;
        let committed = |t: TransactionType| document.types[t.index()].counters.committed as i64;
        assert_eq!(document.flavour, Flavour::Plpgsql);
        assert_eq!(
            committed(TransactionType::NewOrder),
            after.0 - before.0,
            "{mode}"
        );
        assert_eq!(
            committed(TransactionType::Payment),
            after.1 - before.1,
            "{mode}"
        );
        let delivered = committed(TransactionType::Delivery) * 10
            - document.accounting.delivery_skipped_districts as i64;
        assert_eq!(delivered, after.2 - before.2, "{mode}");
        assert!(document.accounting.balanced, "{mode}");
        assert!(committed(TransactionType::NewOrder) > 10, "{mode}");
        assert_eq!(document.errors, [], "{mode}");
        let trips = document.client.unwrap().round_trips_per_transaction;
        match (mode, more.is_empty()) {
            ("udf", _) => assert_eq!(trips, 1.0),
            ("server", true) => assert!(trips > 0.0 && trips < 0.2, "{trips}"),
            ("server", false) => {
                let started = document.total.counters.started;
                assert!((745..=751).contains(&started), "{started}");
            }
            _ => assert!(trips > 10.0, "{trips}"),
        }
        consistent(&session, "tpcc").await;
    }
    nobody(&database).await;
    discard(database).await;
}

#[tokio::test]
async fn all_modes_stand_side_by_side() {
    let database = loaded(2).await;
    let json = file("all");
    let mut command = tpcc(
        &database,
        &[
            "-M",
            "all",
            "-T",
            "1s",
            "-c",
            "2",
            "-P",
            "0",
            "--simulate-rtt",
            "2ms",
        ],
    );
    let ended: Ended = command.arg("--json").arg(&json).output().unwrap().into();
    ended.is(0);
    for word in ["Mode statements", "Mode server", "factor", "simulated"] {
        assert!(ended.stdout.contains(word), "{word}: {}", ended.stdout);
    }
    let documents = read(&json);
    let modes: Vec<Mode> = documents.iter().map(|document| document.mode).collect();
    assert_eq!(
        modes,
        [Mode::Statements, Mode::Pipelined, Mode::Udf, Mode::Server]
    );
    let trips = |index: usize| {
        let client = documents[index].client.as_ref().unwrap();
        client.parts[&TransactionType::NewOrder].round_trips
    };
    assert!(trips(0) > 25.0, "{}", trips(0));
    assert!(trips(1) < 8.0, "{}", trips(1));
    assert_eq!(trips(2), 1.0);
    assert!(documents[3].client.is_none());
    let udf = &documents[2];
    let facts = udf.client.as_ref().unwrap();
    assert_eq!(facts.simulated_rtt_us, Some(2_000));
    assert!(facts.round_trip.min_us >= 2_000);
    assert!(udf.total.response.min_us >= 2_000);
    discard(database).await;
}

#[tokio::test]
async fn an_open_loop_keeps_its_rate_and_counts_from_the_due_time() {
    let database = loaded(1).await;
    let document = document(
        &database,
        "rate",
        &[
            "-R",
            "100",
            "--arrivals",
            "fixed",
            "-T",
            "3s",
            "-c",
            "4",
            "-P",
            "0",
        ],
    );
    let total = &document.total;
    assert!(
        (299..=301).contains(&total.counters.started),
        "{}",
        total.counters.started
    );
    assert!(total.response.mean_us >= total.service.mean_us);
    assert_eq!(
        document.client.unwrap().rate_distribution.as_deref(),
        Some("fixed")
    );
    discard(database).await;
}

#[tokio::test]
async fn what_is_due_and_too_late_is_skipped_and_accounted() {
    let database = loaded(1).await;
    let arguments = ["-R", "100000", "-L", "50", "-T", "2s", "-c", "2", "-P", "0"];
    let document = document(&database, "late", &arguments);
    let counters = document.total.counters;
    assert!(counters.skipped > 1_000, "{counters:?}");
    assert!(document.accounting.balanced);
    // All that were due in the time, whether or not they could be done.
    let due = counters.started as f64;
    assert!((190_000.0..210_000.0).contains(&due), "{due}");
    assert_eq!(
        document.client.unwrap().latency_limit.unwrap().limit_us,
        50_000
    );
    discard(database).await;
}

#[tokio::test]
async fn the_series_has_a_point_a_second_and_adds_up() {
    let database = loaded(1).await;
    let csv = file("series.csv");
    let arguments = [
        "-T",
        "3s",
        "-c",
        "2",
        "-P",
        "1s",
        "--csv",
        csv.to_str().unwrap(),
    ];
    let json = file("series");
    let mut command = tpcc(&database, &arguments);
    let ended: Ended = command.arg("--json").arg(&json).output().unwrap().into();
    ended
        .is(0)
        .says(&["[ 1s ] thds: 2 tps:", "r/w/o", "reconn/s: 0.00"]);
    let document = read(&json).remove(0);
    assert_eq!(document.series.len(), 3);
    let committed: u64 = document
        .series
        .iter()
        .flat_map(|p| p.committed.values())
        .sum();
    let counters = document.total.counters;
    // What ends after the last point was taken belongs to the run, and to no second.
    assert!(committed <= counters.committed && committed + 10 >= counters.committed);
    let text = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("mode,t_s,new_order,"), "{text}");
    std::fs::remove_file(&csv).unwrap();
    discard(database).await;
}

#[tokio::test]
async fn a_result_file_is_shown_again_and_a_broken_one_is_named() {
    let database = loaded(1).await;
    let json = file("shown");
    let path = json.to_str().unwrap();
    let arguments = ["-T", "500ms", "-c", "1", "-P", "0", "--json", path];
    let printed = run(&database, &arguments);
    printed.is(0);
    let report = |path: &str| -> Ended { client().args(["report", path]).output().unwrap().into() };
    let shown = report(path);
    shown.is(0);
    assert_eq!(shown.stdout, printed.stdout);

    let text = std::fs::read_to_string(&json).unwrap();
    let cut = file("cut");
    std::fs::write(&cut, &text[..text.len() / 2]).unwrap();
    let newer = file("newer");
    let version = text.replacen("\"version\": 1", "\"version\": 7", 1);
    std::fs::write(&newer, version).unwrap();
    let other = file("other");
    std::fs::write(&other, r#"{"format": "pgbench", "version": 1}"#).unwrap();
    for (path, words) in [
        (&cut, ["only a part", "EOF"]),
        (&newer, ["version 7", "reads version 1"]),
        (&other, ["pgbench", "pg_tpcc result"]),
        (&file("no-such"), ["cannot read", "no-such"]),
    ] {
        let ended = report(path.to_str().unwrap());
        ended.is(1).says(&words).says(&[path.to_str().unwrap()]);
        assert_eq!(ended.stdout, "");
    }
    for path in [json, cut, newer, other] {
        std::fs::remove_file(path).unwrap();
    }
    discard(database).await;
}

async fn running(database: &Database<'_>, sessions: i64) {
    let witness = database.cluster().witness().await;
    let count = format!(
        "SELECT count(*) >= {sessions} FROM pg_stat_activity WHERE datname = '{}' \
         AND application_name = 'tpcc' AND query LIKE '%tpcc_%'",
        database.name()
    );
    sql::until(&witness, &count).await;
}

fn interrupt(pid: u32) {
    let status = Command::new("kill")
        .args(["-INT", &pid.to_string()])
        .status();
    assert!(status.unwrap().success());
}

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
        interrupt(child.id());
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
    interrupt(child.id());
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

fn interrupt_if_running(child: &mut std::process::Child) {
    if child.try_wait().unwrap().is_none() {
        interrupt(child.id());
    }
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
    let json = file("lost");
    let child = tpcc(&database, &["-T", "3s", "-c", "3", "-P", "0"])
        .arg("--json")
        .arg(&json)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    running(&database, 3).await;
    let ended = sql::number(
        &witness,
        &format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
             WHERE datname = '{}' AND application_name = 'tpcc' AND query LIKE '%tpcc_%'",
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
    running(&database, 3).await;
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
    interrupt(child.id());
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
async fn conflicts_are_retried_and_counted_apart() {
    let database = loaded(1).await;
    let session = database.connect().await;
    for mode in ["udf", "statements", "pipelined"] {
        let arguments = [
            "-M",
            mode,
            "--isolation",
            "serializable",
            "-T",
            "1500ms",
            "-c",
            "6",
            "-P",
            "0",
        ];
        let document = document(&database, &format!("conflicts-{mode}"), &arguments);
        let counters = document.total.counters;
        assert!(counters.retries_serialization > 0, "{mode}: {counters:?}");
        assert!(document.accounting.balanced);
        consistent(&session, "tpcc").await;
    }
    discard(database).await;
}

#[tokio::test]
async fn the_load_is_spread_over_table_sets() {
    let database = tests::Cluster::shared().fresh_database().await;
    let session = database.connect().await;
    for schema in ["tpcc1", "tpcc2"] {
        sql::run(
            &session,
            &format!("SELECT * FROM tpcc_load(1, 2, schema => '{schema}')"),
        )
        .await;
    }
    for mode in ["udf", "statements", "server"] {
        let (one, two) = (
            traces(&session, "tpcc1").await,
            traces(&session, "tpcc2").await,
        );
        let document = document(
            &database,
            &format!("sets-{mode}"),
            &[
                "--tables", "2", "-M", mode, "-T", "1s", "-c", "3", "-P", "0",
            ],
        );
        let grown = (
            traces(&session, "tpcc1").await.0 - one.0,
            traces(&session, "tpcc2").await.0 - two.0,
        );
        assert!(grown.0 > 0 && grown.1 > 0, "{mode}: {grown:?}");
        let committed = document.types[0].counters.committed as i64;
        assert_eq!(committed, grown.0 + grown.1, "{mode}");
        assert_eq!(document.config.workers, 3, "{mode}");
    }
    discard(database).await;
}

#[tokio::test]
async fn each_protocol_works() {
    let database = loaded(1).await;
    for protocol in ["simple", "extended", "prepared"] {
        let arguments = ["--protocol", protocol, "-T", "500ms", "-c", "2", "-P", "0"];
        let document = document(&database, protocol, &arguments);
        assert_eq!(document.client.as_ref().unwrap().protocol, protocol);
        assert_eq!(document.errors, []);
        assert!(document.new_orders_per_minute > 0.0);
    }
    discard(database).await;
}

#[tokio::test]
async fn bad_values_are_refused_before_anything_runs() {
    let database = loaded(1).await;
    for (arguments, word) in [
        (&["-c", "0"][..], "--connections"),
        (&["-c", "-3"], "-3"),
        (&["-T", "0"], "--time"),
        (&["-T", "-5s"], "-5"),
        (&["-T", "99999h"], "30 days"),
        (&["-R", "0"], "--rate"),
        (&["-R", "nan"], "--rate"),
        (&["--mix", "lunch=100"], "lunch"),
        (&["-M", "psychic"], "psychic"),
        (&["--protocol", "morse"], "morse"),
        (&["--simulate-rtt", "1h"], "10s at most"),
        (&["--tables", "0"], "--tables"),
        (&["--tables", "9", "-c", "2"], "9 table sets"),
        (&["--warehouses", "7"], "has 1"),
        (&["--arrivals", "fixed"], "--rate"),
        (&["-R", "5", "--keying-thinking"], "--keying-thinking"),
        (&["--json", "/nowhere/a.json"], "/nowhere/a.json"),
        (&["--json", "/tmp"], "/tmp"),
        (&["--json", "a", "--csv", "a"], "same file"),
        (&["-M", "server", "--simulate-rtt", "5ms"], "simulate-rtt"),
        (&["-M", "server", "--warehouses", "1"], "--warehouses"),
        (&["-M", "server", "-L", "5"], "--latency-limit"),
        (
            &[
                "-M",
                "server",
                "--flavour",
                "plpgsql",
                "--isolation",
                "serializable",
            ],
            "another mode",
        ),
    ] {
        run(&database, arguments).is(2).says(&[word]);
    }
    discard(database).await;
}

#[tokio::test]
async fn what_is_not_there_is_named_with_the_way_to_get_it() {
    let unreachable: Ended = client()
        .args(["run", "-h", "/nowhere", "-d", "shop", "-T", "1s"])
        .output()
        .unwrap()
        .into();
    unreachable.is(3).says(&["/nowhere", "shop"]);

    let cluster = Cluster::shared();
    let database = cluster.fresh_database().await;
    let json = file("nothing");
    std::fs::write(&json, "kept").unwrap();
    let mut command = tpcc(&database, &["-T", "1s"]);
    let ended: Ended = command.arg("--json").arg(&json).output().unwrap().into();
    ended.is(1).says(&["tpcc load"]);
    assert_eq!(std::fs::read_to_string(&json).unwrap(), "kept");
    std::fs::remove_file(&json).unwrap();
    run(&database, &["-T", "1s", "--schema", "o'clock \"x\""])
        .is(1)
        .says(&["o'clock"]);
}

#[tokio::test]
async fn more_connections_than_the_server_has_are_refused_in_one_message() {
    let cluster = Cluster::private_with(&[("max_connections", "12")]);
    let database = cluster.fresh_database().await;
    let session = database.connect().await;
    sql::run(&session, "SELECT * FROM tpcc_load(1, 2)").await;
    run(&database, &["-T", "5s", "-c", "50"])
        .is(3)
        .says(&["too many clients"]);
    nobody(&database).await;
}
