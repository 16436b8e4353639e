//! What is refused, and how it reads.

use super::*;

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
async fn a_server_without_writes_is_named_and_limits_of_statements_do_not_end_a_run() {
    let database = loaded(1).await;
    let session = database.connect().await;
    let role = database.cluster().fresh_role().await;
    sql::run(
        &session,
        &format!(
            "GRANT USAGE ON SCHEMA tpcc TO {role}; \
             GRANT ALL ON ALL TABLES IN SCHEMA tpcc TO {role}; \
             GRANT EXECUTE ON FUNCTION tpcc_run TO {role}; \
             ALTER ROLE {role} SET default_transaction_read_only = on; \
             ALTER ROLE {role} SET statement_timeout = '300ms'"
        ),
    )
    .await;
    let as_role = |arguments: &[&str]| -> Ended {
        let mut command = database.cluster().tpcc(database.name(), &role);
        command
            .arg("run")
            .args(arguments)
            .args(["-c", "1", "-P", "0"]);
        command.output().unwrap().into()
    };
    as_role(&["-T", "1s"])
        .is(1)
        .says(&["takes no writes", "default_transaction_read_only", &role]);
    as_role(&["-T", "500ms", "--mix", "order_status=50,stock_level=50"]).is(0);
    sql::run(
        &session,
        &format!("ALTER ROLE {role} RESET default_transaction_read_only"),
    )
    .await;
    // What it does not reach: the call of a whole run.
    as_role(&["-T", "1s", "-M", "server"]).is(0);
    // What the server says comes through.
    sql::run(
        &session,
        &format!("REVOKE EXECUTE ON FUNCTION tpcc_run FROM {role}"),
    )
    .await;
    as_role(&["-T", "1s", "-M", "server"])
        .is(1)
        .says(&["permission denied for function tpcc_run", "42501"]);
    discard(database).await;
}

#[tokio::test]
async fn results_are_kept_when_nobody_reads_what_is_printed_and_a_full_disk_is_named() {
    let database = loaded(1).await;
    let json = file("unread");
    let mut child = tpcc(&database, &["-T", "500ms", "-c", "1", "-P", "100ms"])
        .arg("--json")
        .arg(&json)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(read(&json)[0].headline().0 > 0.0);
    let arguments = ["-T", "300ms", "-c", "1", "-P", "0", "--json", "/dev/full"];
    run(&database, &arguments)
        .is(1)
        .says(&["cannot write /dev/full", "No space left"]);
    discard(database).await;
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
