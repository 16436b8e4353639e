//! `tpcc probe` and `rt_probe`: what they find, and that they leave nothing behind.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tests::{Cluster, Connection, Database, signal, sql};
use tpcc::probe::{Figures, Part, ProbeDocument};

/// What the schemas of probes are called.
const SCHEMAS: &str = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tpcc\\_probe\\_%'";
/// Everything that a database can hold of somebody's own.
const OBJECTS: &str = "SELECT (SELECT count(*) FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%')
    + (SELECT count(*) FROM pg_class WHERE oid >= 16384) + (SELECT count(*) FROM pg_proc WHERE oid >= 16384)";
/// Little to do.
const QUICK: [&str; 8] = [
    "--samples",
    "300",
    "-T",
    "500ms",
    "--step-time",
    "50ms",
    "-c",
    "2",
];
/// So much to do over one connection that it can be interrupted.
const LONG: [&str; 6] = ["--samples", "1000000", "-T", "10min", "-c", "1"];
/// The same, and soon at the loop inside the server.
const LOOP: [&str; 6] = ["--samples", "1000000", "-T", "50ms", "-c", "1"];

struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

fn ended(output: Output) -> Ended {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended {
        status: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

fn probe(database: &Database<'_>, role: &str, flags: &[&str]) -> Ended {
    ended(command(database, role, flags).output().unwrap())
}

fn command(database: &Database<'_>, role: &str, flags: &[&str]) -> Command {
    let mut command = database.cluster().tpcc(database.name(), role);
    command.arg("probe").args(flags);
    command
}

/// A file for a result that is gone with this value.
struct Json(PathBuf);

impl Json {
    fn new(name: &str) -> Json {
        let folder = std::env::temp_dir().join(format!("probe-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Json(folder.join("probe.json"))
    }

    fn folder(&self) -> &Path {
        self.0.parent().unwrap()
    }

    fn flags<'a>(&'a self, flags: &[&'a str]) -> Vec<&'a str> {
        [flags, &["--json", self.0.to_str().unwrap()]].concat()
    }

    fn document(&self) -> ProbeDocument {
        let text = std::fs::read_to_string(&self.0).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder()).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

impl Drop for Json {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.folder());
    }
}

/// The document of a probe with these flags.
fn found(
    database: &Database<'_>,
    role: &str,
    name: &str,
    flags: &[&str],
) -> (ProbeDocument, Ended) {
    let json = Json::new(name);
    let ended = probe(database, role, &json.flags(flags));
    assert_eq!(ended.status, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(json.files(), ["probe.json"]);
    (json.document(), ended)
}

/// A role that may make schemas in the database.
async fn owner(database: &Database<'_>, admin: &Connection) -> String {
    let role = database.cluster().fresh_role().await;
    let grant = format!("GRANT CREATE ON DATABASE {} TO {role}", database.name());
    sql::run(admin, &grant).await;
    role
}

fn in_order(figures: &Figures) {
    let percentiles = [
        figures.min_us,
        figures.p50_us,
        figures.p90_us,
        figures.p95_us,
        figures.p99_us,
        figures.p999_us,
        figures.max_us,
    ];
    assert!(percentiles.is_sorted(), "{figures:?}");
    assert!(
        figures.min_us <= figures.mean_us && figures.mean_us <= figures.max_us,
        "{figures:?}"
    );
    assert!(figures.samples > 0, "{figures:?}");
}

#[tokio::test]
async fn an_ordinary_role_probes_a_server_without_the_extension_and_leaves_nothing() {
    let database = Cluster::shared().fresh_empty_database().await;
    let admin = database.connect().await;
    let role = Cluster::shared().fresh_role().await;
    let before = sql::number(&admin, OBJECTS).await;
    let (document, ended) = found(&database, &role, "ordinary", &QUICK);
    assert_eq!(
        (document.format.as_str(), document.version),
        ("tpcc probe", 1)
    );
    assert!(
        !document.simulated && !ended.stdout.contains("simulated"),
        "{}",
        ended.stdout
    );

    let Part::Measured(insert) = &document.insert else {
        panic!("{:?}", document.insert);
    };
    assert_eq!(insert.table, tpcc::probe::TableKind::Temp);
    assert_eq!(insert.server.samples, 300);
    for figures in [&insert.server, &insert.client, &insert.gap] {
        in_order(figures);
    }
    assert!(insert.client.p50_us >= insert.server.p50_us, "{insert:?}");
    assert!(insert.client.mean_us >= insert.server.mean_us, "{insert:?}");
    assert_eq!(
        insert.round_trip_mean_us,
        insert.client.mean_us - insert.server.mean_us
    );
    let protocol = &document.protocol;
    for figures in [
        &protocol.empty,
        &protocol.simple,
        &protocol.extended,
        &protocol.prepared,
    ] {
        in_order(figures);
    }
    in_order(&document.floor.prepared);
    assert!(
        document.floor.prepared.min_us < protocol.prepared.p50_us,
        "{document:?}"
    );

    // What it could not do, with the reason and the way out.
    let Part::Skipped { skipped } = &document.commit else {
        panic!("{:?}", document.commit);
    };
    assert!(skipped.contains("GRANT CREATE ON DATABASE"), "{skipped}");
    assert!(ended.stdout.contains(skipped), "{}", ended.stdout);
    for words in [
        "temporary table (no WAL)",
        "floor, prepared",
        "the statement itself",
    ] {
        assert!(ended.stdout.contains(words), "{words}: {}", ended.stdout);
    }
    in_order(document.connect.plain.measured().unwrap());
    let Part::Skipped { skipped } = &document.connect.tls else {
        panic!("{:?}", document.connect);
    };
    assert!(
        skipped.contains("Unix-domain socket has no TLS"),
        "{skipped}"
    );
    assert!(ended.stdout.contains(skipped), "{}", ended.stdout);
    let shares = document.decomposition.measured().unwrap();
    let percent: f64 = shares.iter().map(|share| share.percent).sum();
    assert!((percent - 100.0).abs() < 0.01, "{shares:?}");
    assert_eq!(sql::number(&admin, OBJECTS).await, before);
}

#[tokio::test]
async fn a_role_that_may_make_a_schema_measures_commits_too_and_chooses_the_table() {
    let database = Cluster::shared().fresh_empty_database().await;
    let admin = database.connect().await;
    let role = owner(&database, &admin).await;
    let before = sql::number(&admin, OBJECTS).await;
    for (kind, commits) in [("ordinary", true), ("unlogged", false), ("temp", false)] {
        let flags = [&QUICK[..], &["--table", kind]].concat();
        let (document, ended) = found(&database, &role, &format!("table-{kind}"), &flags);
        assert_eq!(
            document.commit.measured().is_some(),
            commits,
            "{document:?}"
        );
        if let Some(commit) = document.commit.measured() {
            in_order(&commit.on);
            in_order(&commit.off);
            // As the test's cluster has it; such figures say nothing of a disk.
            assert!(!commit.fsync);
            assert!(ended.stdout.contains("fsync is off"), "{}", ended.stdout);
        }
        assert_eq!(sql::number(&admin, OBJECTS).await, before);
    }
    let (document, _) = found(&database, &role, "default", &QUICK);
    let insert = document.insert.measured().unwrap();
    assert_eq!(insert.table, tpcc::probe::TableKind::Ordinary);
}

#[tokio::test]
async fn a_table_that_the_role_may_not_make_is_refused_with_the_right_it_takes() {
    let database = Cluster::shared().fresh_empty_database().await;
    let role = Cluster::shared().fresh_role().await;
    let ended = probe(&database, &role, &["--table", "unlogged"]);
    assert_eq!(ended.status, Some(1));
    let grant = format!(
        "GRANT CREATE ON DATABASE \"{}\" TO \"{role}\"",
        database.name()
    );
    assert!(ended.stderr.contains(&grant), "{}", ended.stderr);
}

#[tokio::test]
async fn a_read_only_server_is_probed_without_inserts() {
    let database = Cluster::shared().fresh_empty_database().await;
    let admin = database.connect().await;
    let role = owner(&database, &admin).await;
    sql::run(
        &admin,
        &format!("ALTER ROLE {role} SET default_transaction_read_only = on"),
    )
    .await;
    let (document, ended) = found(&database, &role, "read-only", &QUICK);
    assert!(document.insert.measured().is_none() && document.commit.measured().is_none());
    assert!(
        ended.stdout.contains("the server is read-only"),
        "{}",
        ended.stdout
    );
    in_order(&document.protocol.prepared);
}

async fn started(database: &Database<'_>, admin: &Connection, role: &str, flags: &[&str]) -> Child {
    let mut command = command(database, role, flags);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    sql::until(admin, &format!("SELECT ({SCHEMAS}) > 0")).await;
    child
}

/// Whether the probe of a role is at the loop inside the server.
fn looping(role: &str) -> String {
    format!(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = '{role}' AND state = 'active' AND query LIKE '%LOOP%')"
    )
}

#[tokio::test]
async fn what_a_killed_probe_leaves_the_next_one_removes() {
    let database = Cluster::shared().fresh_empty_database().await;
    let admin = database.connect().await;
    let role = owner(&database, &admin).await;
    let mut child = started(&database, &admin, &role, &LOOP).await;
    sql::until(&admin, &looping(&role)).await;
    signal(&child, "KILL");
    child.wait().unwrap();
    assert_eq!(sql::number(&admin, SCHEMAS).await, 1);
    // Its lock goes with its session.
    let locks = "SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory' AND classid = x'70726f62'::int4::oid \
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    sql::until(&admin, locks).await;
    let ended = probe(&database, &role, &QUICK);
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert_eq!(sql::number(&admin, SCHEMAS).await, 0);
}

#[tokio::test]
async fn ctrl_c_ends_a_probe_in_order_and_another_one_leaves_its_table_alone() {
    let database = Cluster::shared().fresh_empty_database().await;
    let admin = database.connect().await;
    let role = owner(&database, &admin).await;
    let json = Json::new("ctrl-c");
    std::fs::write(&json.0, "of yesterday").unwrap();
    let child = started(&database, &admin, &role, &json.flags(&LONG)).await;

    let other = probe(&database, &role, &QUICK);
    assert_eq!(other.status, Some(0), "{}", other.stderr);
    assert_eq!(sql::number(&admin, SCHEMAS).await, 1);

    signal(&child, "INT");
    let ended = ended(child.wait_with_output().unwrap());
    assert_eq!(ended.status, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("interrupted"), "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
    assert_eq!(sql::number(&admin, SCHEMAS).await, 0);
    assert_eq!(json.files(), ["probe.json"]);
    assert_eq!(std::fs::read_to_string(&json.0).unwrap(), "of yesterday");
    let sessions = format!("SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = '{role}'");
    sql::until(&admin, &sessions).await;
}

#[tokio::test]
async fn ctrl_c_ends_a_statement_that_the_server_is_at() {
    let database = Cluster::shared().fresh_empty_database().await;
    let admin = database.connect().await;
    let role = owner(&database, &admin).await;
    let child = started(&database, &admin, &role, &LOOP).await;
    sql::until(&admin, &looping(&role)).await;
    signal(&child, "TERM");
    let ended = ended(child.wait_with_output().unwrap());
    assert_eq!(ended.status, Some(1), "{}", ended.stderr);
    assert_eq!(sql::number(&admin, SCHEMAS).await, 0);
    let cancelled = "canceling statement due to user request";
    assert!(Cluster::shared().log().contains(cancelled));
}

#[tokio::test]
async fn a_probe_whose_session_is_ended_fails_with_the_reason_and_leaves_nothing() {
    let database = Cluster::shared().fresh_empty_database().await;
    let admin = database.connect().await;
    let role = owner(&database, &admin).await;
    let flags = ["--samples", "1000000", "-T", "1s", "-c", "1"];
    let child = started(&database, &admin, &role, &flags).await;
    // The other one says that the probe lives.
    let terminate = format!(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
         WHERE usename = '{role}' AND state IN ('active', 'idle')"
    );
    assert_eq!(sql::number(&admin, &terminate).await, 1);
    let ended = ended(child.wait_with_output().unwrap());
    assert_eq!(ended.status, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("57P01"), "{}", ended.stderr);
    assert_eq!(sql::number(&admin, SCHEMAS).await, 0);
}

#[tokio::test]
async fn schemas_that_only_look_like_a_probes_stay() {
    let database = Cluster::shared().fresh_empty_database().await;
    let admin = database.connect().await;
    let role = owner(&database, &admin).await;
    let session = database.connect_as(&role).await;
    let mark = "tpcc probe: the next probe removes what a killed one left";
    sql::run(
        &session,
        &format!(
            "CREATE SCHEMA tpcc_probe_1; CREATE TABLE tpcc_probe_1.probe ();
             CREATE SCHEMA tpcc_probe_2; CREATE TABLE tpcc_probe_2.mine (); COMMENT ON SCHEMA tpcc_probe_2 IS '{mark}';
             CREATE SCHEMA tpcc_probe_3; COMMENT ON SCHEMA tpcc_probe_3 IS '{mark}'"
        ),
    )
    .await;
    let ended = probe(&database, &role, &QUICK);
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("tpcc_probe_2"), "{}", ended.stderr);
    let left = "SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname LIKE 'tpcc\\_probe\\_%'";
    assert_eq!(sql::value(&admin, left).await, "tpcc_probe_1 tpcc_probe_2");
    assert_eq!(
        sql::value(&admin, "SELECT count(*) FROM tpcc_probe_2.mine").await,
        "0"
    );
}

#[tokio::test]
async fn a_simulated_round_trip_is_added_to_each_and_told_everywhere() {
    let database = Cluster::shared().fresh_empty_database().await;
    let role = Cluster::shared().fresh_role().await;
    let (plain, _) = found(&database, &role, "plain", &QUICK);
    let flags = [&QUICK[..], &["--simulate-rtt", "5ms"]].concat();
    let (simulated, ended) = found(&database, &role, "simulated", &flags);
    assert!(simulated.simulated);
    assert_eq!(simulated.simulated_rtt_us, 5_000.0);
    let (Some(plain_insert), Some(insert)) = (plain.insert.measured(), simulated.insert.measured())
    else {
        panic!("no inserts");
    };
    // The shortest ones: other tests are at work on the same processors.
    for (plain, simulated) in [
        (plain.protocol.empty, simulated.protocol.empty),
        (plain.protocol.prepared, simulated.protocol.prepared),
        (plain_insert.client, insert.client),
    ] {
        let added = simulated.min_us - plain.min_us;
        assert!(
            (added - 5_000.0).abs() < 250.0,
            "{added} us: {plain:?} {simulated:?}"
        );
    }
    assert!(insert.server.p50_us < 5_000.0, "{insert:?}");
    // Nobody can take a part of the output for the truth.
    for paragraph in ended
        .stdout
        .split("\n\n")
        .filter(|text| !text.trim().is_empty())
    {
        assert!(paragraph.contains("simulated"), "{paragraph}");
    }
    for line in ended.stderr.lines() {
        assert!(line.contains("simulated"), "{line}");
    }
}

#[tokio::test]
async fn the_sweep_goes_as_far_as_the_server_allows_and_says_so() {
    let cluster = Cluster::private_with(&[("max_connections", "20")]);
    let database = cluster.fresh_empty_database().await;
    let role = cluster.fresh_role().await;
    let flags = [
        "--samples",
        "50",
        "-T",
        "100ms",
        "--step-time",
        "50ms",
        "-c",
        "300",
    ];
    let (document, ended) = found(&database, &role, "limit", &flags);
    let sweep = &document.sweep;
    let limit = sweep.limited_by.as_deref().unwrap_or_default();
    assert!(limit.contains("max_connections is 20"), "{limit}");
    assert!(ended.stdout.contains(limit), "{}", ended.stdout);
    let numbers: Vec<u32> = sweep.steps.iter().map(|step| step.connections).collect();
    assert_eq!(numbers[..4], [1, 2, 4, 8]);
    let last = *numbers.last().unwrap();
    // Twenty without three for superusers, and whoever else is there.
    assert!((9..=17).contains(&last), "{numbers:?}");
    for step in &sweep.steps {
        in_order(&step.round_trip);
        assert!(step.calls_per_second > 0.0);
    }

    let admin = database.connect().await;
    sql::run(&admin, &format!("ALTER ROLE {role} CONNECTION LIMIT 4")).await;
    let (document, _) = found(&database, &role, "role-limit", &flags);
    let limit = document.sweep.limited_by.unwrap_or_default();
    assert!(
        limit.contains("the role's CONNECTION LIMIT is 4"),
        "{limit}"
    );
    assert_eq!(document.sweep.steps.last().unwrap().connections, 4);
}

#[tokio::test]
async fn a_server_that_refuses_tls_is_probed_without_it() {
    let cluster = Cluster::private_with(&[("listen_addresses", "127.78.0.2")]);
    let database = cluster.fresh_empty_database().await;
    let role = cluster.fresh_role().await;
    let port = cluster.server().port();
    let text = format!(
        "hostaddr=127.78.0.2 port={port} dbname={} user={role}",
        database.name()
    );
    let flags = [&QUICK[..], &["-d", &text]].concat();
    let (document, ended) = found(&database, &role, "no-tls", &flags);
    in_order(document.connect.plain.measured().unwrap());
    let Part::Skipped { skipped } = &document.connect.tls else {
        panic!("{:?}", document.connect);
    };
    assert!(skipped.contains("does not offer TLS"), "{skipped}");
    assert!(ended.stdout.contains(skipped), "{}", ended.stdout);
    assert!(document.floor.prepared.min_us < document.protocol.prepared.p50_us);
}

#[tokio::test]
async fn a_result_that_cannot_be_written_is_refused_before_the_work() {
    let database = Cluster::shared().fresh_empty_database().await;
    let role = Cluster::shared().fresh_role().await;
    for file in ["/no/such/folder/probe.json", "/tmp"] {
        let flags = [&LONG[..], &["--json", file]].concat();
        let ended = probe(&database, &role, &flags);
        assert_eq!(ended.status, Some(2), "{}", ended.stderr);
        assert!(
            ended.stderr.contains(&format!("cannot write {file}")),
            "{}",
            ended.stderr
        );
        assert_eq!(ended.stdout, "");
    }
}

#[tokio::test]
async fn absurd_flags_are_wrong_usage_and_no_server_is_no_connection() {
    let database = Cluster::shared().fresh_empty_database().await;
    let role = Cluster::shared().fresh_role().await;
    for flags in [
        ["--samples", "0"],
        ["--samples", "100000000"],
        ["-c", "0"],
        ["-c", "-4"],
        ["-j", "0"],
        ["-T", "0s"],
        ["--step-time", "soon"],
        ["--simulate-rtt", "-5ms"],
        ["--table", "partitioned"],
    ] {
        let ended = probe(&database, &role, &flags);
        assert_eq!(ended.status, Some(2), "{flags:?}: {}", ended.stderr);
    }
    let ended = probe(&database, &role, &["-h", "/nowhere"]);
    assert_eq!(ended.status, Some(3), "{}", ended.stderr);
}

#[tokio::test]
async fn rt_probe_measures_inside_the_server_and_leaves_nothing() {
    let database = Cluster::shared().fresh_database().await;
    let admin = database.connect().await;
    let role = Cluster::shared().fresh_role().await;
    let client = database.connect_as(&role).await;
    let before = sql::number(&admin, OBJECTS).await;
    for _ in 0..2 {
        let row = sql::row(&client, "SELECT * FROM rt_probe(samples => 1000)").await;
        let value = |name: &str| -> f64 { row.get(name).unwrap().parse().unwrap() };
        assert_eq!(value("samples"), 1000.0);
        let percentiles = [
            "min_us", "p50_us", "p90_us", "p95_us", "p99_us", "p999_us", "max_us",
        ];
        assert!(percentiles.map(value).is_sorted(), "{row:?}");
        assert!(
            (value("mean_us") * 1000.0 - value("sum_us")).abs() < 1.0,
            "{row:?}"
        );
        assert!(value("sum_us") > 0.0);
    }
    // Inside a transaction of the caller's too, and without an argument.
    let sql = "BEGIN; CREATE TEMP TABLE probe (); SELECT samples FROM rt_probe(); COMMIT; DROP TABLE probe";
    sql::run(&client, sql).await;
    assert_eq!(sql::number(&admin, OBJECTS).await, before);
}

#[tokio::test]
async fn rt_probe_refuses_what_makes_no_sense() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    for (argument, sqlstate) in [
        ("NULL", "22004"),
        ("0", "22023"),
        ("-1", "22023"),
        ("1000001", "22023"),
    ] {
        let call = format!("SELECT * FROM rt_probe({argument})");
        sql::fails(&client, &call, sqlstate, &["samples", argument]).await;
    }
    sql::run(&client, "SET default_transaction_read_only = on").await;
    sql::fails(&client, "SELECT * FROM rt_probe(10)", "25006", &[]).await;
    sql::run(&client, "SET default_transaction_read_only = off").await;
    // A cancel ends it, and the session goes on.
    sql::run(&client, "SET statement_timeout = '20ms'").await;
    sql::fails(&client, "SELECT * FROM rt_probe(1000000)", "57014", &[]).await;
    sql::run(&client, "SET statement_timeout = 0").await;
    assert_eq!(
        sql::value(&client, "SELECT samples FROM rt_probe(10)").await,
        "10"
    );
}
