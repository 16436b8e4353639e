//! What a run tells, against what the database holds.

use super::*;

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
        client.parts[&TransactionType::NewOrder.into()].round_trips
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
        assert!(document.headline().0 > 0.0);
    }
    discard(database).await;
}
