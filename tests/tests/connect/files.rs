//! Service files, options and wrong parameters, as the command meets them.

use tests::{Cluster, client, sql};

use crate::server::Server;
use crate::{must, run};

#[tokio::test]
async fn a_service_says_where_to_connect() {
    let server = Server::shared().await;
    let text = format!(
        "# ours\n[other]\nhost=/nowhere\n\n[shop]\nhost={}\nport={}\ndbname=postgres\nuser=postgres\n",
        server.cluster.server().place().socket_dir().display(),
        server.cluster.server().port()
    );
    let path = server.file("pg_service.conf", &text, 0o644);
    let enters = |(status, said): (Option<i32>, String)| {
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("tpcc load"), "{said}");
    };
    enters(run(client()
        .args(["check", "-d", "service=shop"])
        .env("PGSERVICEFILE", &path)));
    enters(run(client()
        .args(["check"])
        .env("PGSERVICE", "shop")
        .env("PGSYSCONFDIR", server.path(""))
        .env("PGHOST", "/somewhere/else")));
    // A flag is stronger.
    let (status, said) = run(client()
        .args(["check", "-h", "/from/flag"])
        .env("PGSERVICE", "shop")
        .env("PGSERVICEFILE", &path));
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("/from/flag"), "{said}");

    let (status, said) = run(client()
        .args(["check", "-d", "service=nosuch"])
        .env("PGSERVICEFILE", &path));
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("[nosuch]"), "{said}");
}

#[tokio::test]
async fn options_and_names_reach_the_server() {
    let cluster = Cluster::shared();
    let folder = cluster.server().place().socket_dir().display();
    let port = cluster.server().port();
    let text = format!("host={folder} port={port} user=postgres dbname=postgres");
    let session = must(&format!(
        "{text} options='-c geqo=off' application_name='my shop'"
    ))
    .await;
    assert_eq!(sql::value(&session, "SHOW geqo").await, "off");
    assert_eq!(
        sql::value(&session, "SHOW application_name").await,
        "my shop"
    );
    let session = must(&format!("{text} fallback_application_name=other")).await;
    assert_eq!(sql::value(&session, "SHOW application_name").await, "other");

    let mut command = cluster.tpcc("postgres", "postgres");
    let (status, said) = run(command
        .arg("check")
        .env("PGOPTIONS", "-c no_such_setting=1"));
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("no_such_setting"), "{said}");
}

#[test]
fn wrong_parameters_are_status_2_and_named() {
    for (dbname, variable, told) in [
        ("hostess=x", ("PGUSER", "u"), "hostess"),
        ("host=h", ("PGSSLMODE", "perhaps"), "PGSSLMODE"),
        ("host=h", ("PGPORT", "many"), "PGPORT"),
        (
            "host=h",
            ("PGTARGETSESSIONATTRS", "master"),
            "PGTARGETSESSIONATTRS",
        ),
        (
            "host=h sslmode=verify-full",
            ("PGSSLROOTCERT", "/no/such"),
            "/no/such",
        ),
    ] {
        let mut command = client();
        let (status, said) = run(command
            .args(["check", "-d", dbname])
            .env(variable.0, variable.1));
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(told), "{said}");
    }
}
