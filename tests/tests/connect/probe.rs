//! The probe over TCP: connecting with TLS and without, and the reason where one of them cannot be.

use tests::client;
use tpcc::probe::{Connect, Figures, Part, ProbeDocument};

use crate::server::Server;

const QUICK: [&str; 10] = [
    "--samples",
    "100",
    "-T",
    "300ms",
    "--step-time",
    "20ms",
    "-c",
    "2",
    "--table",
    "temp",
];

fn probe(server: &Server, text: &str, name: &str) -> Connect {
    let json = server.path(name);
    let mut command = client();
    command
        .args(["probe", "-d", text, "--json", &json])
        .args(QUICK);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}: {said}");
    let read = std::fs::read_to_string(&json).unwrap();
    assert!(!read.contains("password"), "{read}");
    let document: ProbeDocument = serde_json::from_str(&read).unwrap();
    document.connect
}

fn skipped(part: &Part<Figures>, reason: &str) {
    match part {
        Part::Skipped { skipped } => assert!(skipped.contains(reason), "{skipped}"),
        Part::Measured(figures) => panic!("not left out: {figures:?}"),
    }
}

#[tokio::test]
async fn connecting_is_timed_with_tls_and_without_where_the_server_takes_it() {
    let server = Server::shared().await;
    let connect = probe(server, &server.with_password("sslmode=prefer"), "tls.json");
    assert!(connect.tls.measured().is_some(), "{connect:?}");
    skipped(&connect.plain, "no pg_hba.conf entry");

    let text = server.with_password("sslmode=require");
    let connect = probe(server, &text, "require.json");
    assert!(connect.tls.measured().is_some(), "{connect:?}");
    skipped(&connect.plain, "sslmode=require asks for TLS");

    let text = server.string("user=plain sslmode=prefer", false);
    let connect = probe(server, &text, "plain.json");
    assert!(connect.plain.measured().is_some(), "{connect:?}");
    skipped(&connect.tls, "no pg_hba.conf entry");

    let text = server.string("user=plain sslmode=disable", false);
    let connect = probe(server, &text, "disable.json");
    assert!(connect.plain.measured().is_some(), "{connect:?}");
    skipped(&connect.tls, "sslmode=disable refuses TLS");
}
