//! A search_path with operators and functions that fit better than PostgreSQL's own, as anybody may plant them in a
//! schema that others look into: none of them is ever called.

use std::process::Command;

use tests::{Cluster, discard, sql};

const PLANTED: &str = include_str!("../src/hostile_path.sql");

fn must(command: &mut Command) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{said}\n{told}");
    // Of a run that goes on after an error the words tell.
    for word in ["HOSTILE", "not unique", "errors with"] {
        assert!(
            !said.contains(word) && !told.contains(word),
            "{command:?}\n{said}\n{told}"
        );
    }
}

async fn a_planted_operator_is_never_called(flavour: &str) {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    sql::run(&client, PLANTED).await;
    let path = format!(
        "ALTER DATABASE {} SET search_path = hostile, public",
        database.name()
    );
    sql::run(&client, &path).await;
    // That it is looked into at all.
    let client = database.connect().await;
    sql::fails(
        &client,
        "SELECT 'a'::varchar = 'a'::varchar",
        "P0001",
        &["HOSTILE"],
    )
    .await;
    drop(client);
    let tpcc = |arguments: &[&str]| {
        let mut command = database.cluster().tpcc(database.name(), "postgres");
        command.args(arguments);
        command
    };
    must(&mut tpcc(&["load", "--flavour", flavour, "-c", "2"]));
    for protocol in ["simple", "prepared"] {
        must(&mut tpcc(&[
            "run",
            "-M",
            "all",
            "--flavour",
            flavour,
            "--protocol",
            protocol,
            "-c",
            "2",
            "-T",
            "1s",
            "-P",
            "0",
        ]));
    }
    must(&mut tpcc(&["check"]));
    must(&mut tpcc(&[
        "probe",
        "-c",
        "1",
        "--samples",
        "20",
        "--step-time",
        "20ms",
    ]));
    let client = database.connect().await;
    let held = "SELECT pg_catalog.count(*) FROM tpcc_check() WHERE NOT holds";
    assert_eq!(sql::value(&client, held).await, "0");
    drop(client);
    must(&mut tpcc(&["drop", "--yes"]));
    for workload in ["tpcb", "oltp"] {
        let with = ["--flavour", flavour, "-c", "2"];
        must(&mut tpcc(&[&[workload, "load"][..], &with].concat()));
        let all = ["-M", "all", "-c", "1", "-T", "1s", "-P", "0"];
        must(&mut tpcc(&[&[workload, "run"][..], &all].concat()));
        must(&mut tpcc(&[workload, "check"]));
        must(&mut tpcc(&[workload, "drop", "--yes"]));
    }
    discard(database).await;
}

#[tokio::test]
async fn a_planted_operator_is_never_called_by_the_extension() {
    a_planted_operator_is_never_called("native").await;
}

#[tokio::test]
async fn a_planted_operator_is_never_called_without_it() {
    a_planted_operator_is_never_called("plpgsql").await;
}
