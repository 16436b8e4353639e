//! Several hosts, and what a server must be for a session to stay there.

use tests::{Cluster, sql};
use tokio::sync::OnceCell;

use crate::{must, open, refused};

/// A server whose transactions are read-only when nobody says otherwise.
async fn read_only() -> &'static Cluster {
    static SHARED: OnceCell<Cluster> = OnceCell::const_new();
    SHARED
        .get_or_init(async || Cluster::private_with(&[("default_transaction_read_only", "on")]))
        .await
}

/// The read-only server first, then the other.
async fn both(more: &str) -> String {
    let folder = |cluster: &Cluster| cluster.server().place().socket_dir().display().to_string();
    let (first, second) = (folder(read_only().await), folder(Cluster::shared()));
    let port = Cluster::shared().server().port();
    format!("host={first},{second} port={port} user=postgres dbname=postgres {more}")
}

#[tokio::test]
async fn a_dead_host_is_passed_over() {
    let port = Cluster::shared().server().port();
    let folder = Cluster::shared().server().place().socket_dir();
    let folder = folder.display();
    let rest = "user=postgres dbname=postgres";
    must(&format!("host=127.0.0.1,{folder} port=1,{port} {rest}")).await;
    must(&format!(
        "host=127.0.0.1,{folder} port=1,{port} {rest} load_balance_hosts=random"
    ))
    .await;
    let encoded = folder.to_string().replace('/', "%2F");
    must(&format!(
        "postgresql://postgres@127.0.0.1:1,{encoded}:{port}/postgres"
    ))
    .await;

    let text = format!("host=127.0.0.1,/nowhere port=1 {rest}");
    let error = refused(&text, "127.0.0.1 port 1: Connection refused").await;
    assert!(
        error.to_string().contains("/nowhere port 1: No such file"),
        "{error}"
    );
}

#[tokio::test]
async fn the_session_stays_where_the_server_is_what_is_asked_for() {
    let is_read_only = async |attrs: &str| {
        let session = must(&both(&format!("target_session_attrs={attrs}")).await).await;
        sql::value(&session, "SHOW default_transaction_read_only").await
    };
    for (attrs, expected) in [
        ("any", "on"),
        ("read-write", "off"),
        ("read-only", "on"),
        ("primary", "on"),
        ("prefer-standby", "on"),
    ] {
        assert_eq!(is_read_only(attrs).await, expected, "{attrs}");
    }
    refused(
        &both("target_session_attrs=standby").await,
        "is not a standby",
    )
    .await;
}

#[tokio::test]
async fn a_refusal_that_is_the_same_everywhere_ends_the_search() {
    let text = both("").await.replace("dbname=postgres", "dbname=nosuch");
    let error = refused(&text, "database \"nosuch\" does not exist").await;
    assert!(
        !error.to_string().contains("none of the servers"),
        "{error}"
    );
    assert!(error.to_string().contains("createdb"), "{error}");
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    // It takes connections and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let text = format!("host=127.0.0.1 port={port} user=u connect_timeout=1 sslmode=disable");
    refused(&text, "no answer within 1 s").await;
    let working = Cluster::shared().server().place().socket_dir().display();
    let own = Cluster::shared().server().port();
    let text = format!(
        "host=127.0.0.1,{working} port={port},{own} user=postgres dbname=postgres connect_timeout=1"
    );
    assert!(open(&text).await.is_ok());
}
