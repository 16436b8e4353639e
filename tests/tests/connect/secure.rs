//! TLS: what each mode accepts and refuses, client certificates, channel binding, cancelling.

use std::process::Command;
use std::time::Duration;

use tests::{Cluster, eventually, pg_config, sql};
use tokio_postgres::error::SqlState;
use tpcc::cluster::Binaries;

use crate::server::{NAME, Server};
use crate::{is_under_tls, must, open, refused};

#[tokio::test]
async fn each_sslmode_accepts_what_libpq_accepts() {
    let server = Server::shared().await;
    let (root, other) = (server.path("root.crt"), server.path("other.crt"));
    let missing = server.path("no.crt");
    let address = &server.address;
    for (more, accepted) in [
        ("sslmode=disable".to_owned(), false),
        ("sslmode=allow".to_owned(), true),
        ("sslmode=prefer".to_owned(), true),
        ("sslmode=require".to_owned(), true),
        // Asked for with a file of CAs, require is verify-ca; without the file it looks at nothing.
        (format!("sslmode=require sslrootcert='{root}'"), true),
        (format!("sslmode=require sslrootcert='{other}'"), false),
        (format!("sslmode=require sslrootcert='{missing}'"), true),
        (format!("sslmode=verify-ca sslrootcert='{root}'"), true),
        (format!("sslmode=verify-ca sslrootcert='{other}'"), false),
        (format!("sslmode=verify-ca sslrootcert='{missing}'"), false),
        (
            format!("host=elsewhere sslmode=verify-ca sslrootcert='{root}'"),
            true,
        ),
        (
            format!("host=elsewhere sslmode=verify-full sslrootcert='{root}'"),
            false,
        ),
        (
            format!("host={NAME} sslmode=verify-full sslrootcert='{root}'"),
            true,
        ),
        (
            format!("host={NAME} sslmode=verify-full sslrootcert='{other}'"),
            false,
        ),
        // By its number, which is in the certificate too.
        (
            format!("host={address} sslmode=verify-full sslrootcert='{root}'"),
            true,
        ),
        ("sslmode=verify-full sslrootcert=system".to_owned(), false),
        (
            "sslmode=require ssl_min_protocol_version=TLSv1.3".to_owned(),
            true,
        ),
        (
            "sslmode=require ssl_max_protocol_version=TLSv1.2 sslsni=0".to_owned(),
            true,
        ),
    ] {
        let text = server.with_password(&more);
        match open(&text).await {
            Ok(session) => assert!(accepted && is_under_tls(&session).await, "{more}"),
            Err(error) => assert!(!accepted, "{more}\n{error}"),
        }
        // Before PostgreSQL 16 libpq takes `system` for a file's name.
        if !more.contains("system") {
            assert_eq!(libpq_accepts(&text), accepted, "libpq: {more}");
        }
    }
}

/// Whether `psql` gets in by the same string.
fn libpq_accepts(text: &str) -> bool {
    let binaries = Binaries::from_pg_config(pg_config()).unwrap();
    let mut psql = Command::new(binaries.program("psql"));
    psql.args(["-X", "-w", "-d", text, "-c", "SELECT 1"]);
    psql.output().unwrap().status.success()
}

#[tokio::test]
async fn a_certificate_that_signed_itself_is_trusted_when_it_is_the_root() {
    let server = Server::start_self_signed().await;
    let root = server.path("root.crt");
    for (more, accepted) in [
        (format!("sslmode=verify-ca sslrootcert='{root}'"), true),
        // It has no subjectAltName: its common name counts.
        (
            format!("host={NAME} sslmode=verify-full sslrootcert='{root}'"),
            true,
        ),
        (
            format!("host=elsewhere sslmode=verify-full sslrootcert='{root}'"),
            false,
        ),
    ] {
        let text = server.with_password(&more);
        match open(&text).await {
            Ok(session) => assert!(accepted && is_under_tls(&session).await, "{more}"),
            Err(error) => assert!(!accepted, "{more}\n{error}"),
        }
        assert_eq!(libpq_accepts(&text), accepted, "libpq: {more}");
    }
    let other = server.path("other.crt");
    let text = server.with_password(&format!("sslmode=verify-ca sslrootcert='{other}'"));
    refused(&text, "no CA in").await;
}

#[tokio::test]
async fn prefer_does_without_where_tls_is_not_wanted() {
    let server = Server::shared().await;
    let session = must(&server.string("user=plain sslmode=prefer", false)).await;
    assert!(!is_under_tls(&session).await);
    let text = server.string("user=plain sslmode=require", false);
    refused(&text, "no pg_hba.conf entry").await;
}

#[tokio::test]
async fn what_went_wrong_with_tls_is_told() {
    let server = Server::shared().await;
    let (root, other) = (server.path("root.crt"), server.path("other.crt"));
    for (more, told) in [
        (
            format!("sslmode=verify-ca sslrootcert='{other}'"),
            "no CA in",
        ),
        (
            format!("host=elsewhere sslmode=verify-full sslrootcert='{root}'"),
            "not for \"elsewhere\"",
        ),
        ("sslmode=disable".to_owned(), "no encryption"),
        (
            "sslmode=verify-full sslrootcert=/no/such".to_owned(),
            "/no/such",
        ),
    ] {
        refused(&server.with_password(&more), told).await;
    }
    let database = Cluster::private_with(&[("listen_addresses", "127.78.0.1")]);
    let port = database.server().port();
    let text = format!("hostaddr=127.78.0.1 port={port} user=postgres sslmode=require");
    refused(&text, "does not offer TLS").await;
    // It trusts whoever comes from this machine.
    assert!(!is_under_tls(&must(&text.replace("require", "prefer")).await).await);
}

#[tokio::test]
async fn a_client_certificate_logs_in() {
    let server = Server::shared().await;
    let text = server.string("user=with_cert sslmode=require", true);
    assert_eq!(
        sql::value(&*must(&text).await, "SELECT current_user").await,
        "with_cert"
    );
    let without = server.string("user=with_cert sslmode=require", false);
    refused(&without, "certificate").await;
}

#[tokio::test]
async fn a_key_that_others_may_read_is_not_used() {
    let server = Server::shared().await;
    let key = std::fs::read_to_string(server.path("user.key")).unwrap();
    let open_key = server.file("open.key", &key, 0o644);
    let certificate = server.path("user.crt");
    let with = |key: &str| {
        let more = format!("user=with_cert sslmode=require sslcert='{certificate}' sslkey='{key}'");
        server.string(&more, false)
    };
    refused(&with(&open_key), "chmod 0600").await;
    refused(&with("/no/such.key"), "not its private key /no/such.key").await;
    let no_key = server.file("no.key", "nothing", 0o600);
    refused(&with(&no_key), "cannot read the private key").await;
}

#[tokio::test]
async fn channel_binding_is_had_under_tls_alone() {
    let server = Server::shared().await;
    for binding in ["disable", "prefer", "require"] {
        let more = format!("sslmode=require channel_binding={binding}");
        must(&server.with_password(&more)).await;
    }
    let text = server.string("user=plain sslmode=disable channel_binding=require", false);
    refused(&text, "channel_binding=require").await;
}

#[tokio::test]
async fn tls_may_come_without_being_asked_for() {
    let server = Server::shared().await;
    let version = sql::number(&*server.cluster.witness().await, "SHOW server_version_num").await;
    let text = server.with_password("sslmode=require sslnegotiation=direct");
    if version >= 170_000 {
        assert!(is_under_tls(&must(&text).await).await);
    } else {
        assert!(open(&text).await.is_err());
    }
}

#[tokio::test]
async fn a_statement_is_cancelled_under_tls_at_the_host_that_has_it() {
    let server = Server::shared().await;
    let root = server.path("root.crt");
    let port = server.cluster.server().port();
    let text = server
        .with_password(&format!(
            "sslmode=verify-ca sslrootcert='{root}' application_name=sleeper"
        ))
        .replace("hostaddr=", "hostaddr=127.0.0.1,")
        .replace(&format!("port={port}"), &format!("port=1,{port}"));
    let session = must(&text).await;
    let sleeping = session.simple_query("SELECT pg_sleep(600)");
    let cancelling = async {
        let witness = server.cluster.witness().await;
        eventually("it sleeps", Duration::from_secs(10), async || {
            let sql = "SELECT count(*) FROM pg_stat_activity \
                       WHERE application_name = 'sleeper' AND wait_event = 'PgSleep'";
            sql::number(&witness, sql).await == 1
        })
        .await;
        session.cancel().await.unwrap();
    };
    let (result, ()) = tokio::join!(sleeping, cancelling);
    assert_eq!(result.unwrap_err().code(), Some(&SqlState::QUERY_CANCELED));
}
