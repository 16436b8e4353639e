//! Installing the routines: only what differs is written, only rights on the schema are needed.

use tests::{Cluster, Connection, Database, small, sql};
use tpcc::flavour::{FlavourError, ensure};

/// A database without the extension, and in it the small schema `tpcc`.
async fn setup() -> (Database<'static>, Connection) {
    let database = Cluster::shared().fresh_empty_database().await;
    let client = database.connect().await;
    small::create(&client, "tpcc").await;
    (database, client)
}

/// The routines of the schema with the transactions that wrote them.
async fn written(client: &Connection) -> Vec<Vec<String>> {
    let routines = "SELECT proname, xmin FROM pg_proc WHERE pronamespace = 'tpcc'::regnamespace ORDER BY proname, oid";
    sql::table(client, routines).await
}

async fn stock_level(client: &Connection) -> String {
    sql::value(
        client,
        "SELECT low_stock FROM tpcc.tpcc_stock_level(1, 1, 15)",
    )
    .await
}

#[tokio::test]
async fn what_is_current_is_not_written_again() {
    let (_database, client) = setup().await;
    ensure(&client, "tpcc").await.unwrap();
    let first = written(&client).await;
    assert!(first.len() >= 10, "{first:?}");
    sql::run(&client, "SET default_transaction_read_only = on").await;
    ensure(&client, "tpcc").await.unwrap();
    assert_eq!(written(&client).await, first);
}

#[tokio::test]
async fn only_what_differs_is_renewed() {
    let (_database, client) = setup().await;
    ensure(&client, "tpcc").await.unwrap();
    let first = written(&client).await;
    // An older version: other work, another result, other arguments, settings of its own; and one is gone.
    sql::run(
        &client,
        "CREATE OR REPLACE FUNCTION tpcc.tpcc_require(name text, value int4, low int4, high int4) RETURNS void
             LANGUAGE plpgsql AS 'BEGIN NULL; END';
         DROP FUNCTION tpcc.tpcc_stock_level;
         CREATE FUNCTION tpcc.tpcc_stock_level(w_id int4, d_id int4, threshold int4, schema text DEFAULT 'tpcc') RETURNS text
             LANGUAGE sql AS 'SELECT ''old''';
         CREATE FUNCTION tpcc.tpcc_delivery(w_id int4) RETURNS text LANGUAGE sql AS 'SELECT ''old''';
         ALTER FUNCTION tpcc.tpcc_payment SET work_mem = '1MB';
         DROP FUNCTION tpcc.tpcc_no_such_row",
    )
    .await;
    ensure(&client, "tpcc").await.unwrap();
    let second = written(&client).await;
    let names = |routines: &[Vec<String>]| -> Vec<String> {
        routines.iter().map(|routine| routine[0].clone()).collect()
    };
    assert_eq!(names(&second), names(&first));
    let renewed: Vec<String> = first
        .iter()
        .zip(&second)
        .filter(|(old, new)| old != new)
        .map(|(old, _)| old[0].clone())
        .collect();
    assert_eq!(
        renewed,
        [
            "tpcc_no_such_row",
            "tpcc_payment",
            "tpcc_require",
            "tpcc_stock_level"
        ]
    );
    assert_eq!(stock_level(&client).await, "0");
    sql::fails(
        &client,
        "SELECT * FROM tpcc.tpcc_delivery(1, 11)",
        "22023",
        &["carrier_id is 11"],
    )
    .await;
}

#[tokio::test]
async fn a_role_that_owns_nothing_but_the_schema_can_do_all_of_it() {
    let cluster = Cluster::shared();
    let database = cluster.fresh_empty_database().await;
    let role = cluster.fresh_role().await;
    let superuser = database.connect().await;
    sql::run(
        &superuser,
        &format!(
            "REVOKE ALL ON SCHEMA public FROM PUBLIC; GRANT CREATE ON DATABASE {} TO {role}",
            database.name()
        ),
    )
    .await;
    let client = database.connect_as(&role).await;
    small::create(&client, "tpcc").await;
    sql::run(
        &superuser,
        &format!("REVOKE CREATE ON DATABASE {} FROM {role}", database.name()),
    )
    .await;
    ensure(&client, "tpcc").await.unwrap();
    for call in [
        "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,1}')",
        "tpcc_new_order(1, 1, 1, '{1,2,3,4,100001}', '{1,1,1,1,1}', '{1,1,1,1,1}', report_rollback => true)",
        "tpcc_payment(1, 1, 1, 1, 1, NULL, 1)",
        "tpcc_order_status(1, 1, 1, NULL)",
        "tpcc_delivery(1, 1)",
        "tpcc_stock_level(1, 1, 15)",
    ] {
        sql::row(&client, &format!("SELECT * FROM tpcc.{call}")).await;
    }
}

#[tokio::test]
async fn the_functions_have_the_rights_of_their_caller() {
    let cluster = Cluster::shared();
    let (database, superuser) = setup().await;
    ensure(&superuser, "tpcc").await.unwrap();
    let role = cluster.fresh_role().await;
    sql::run(&superuser, &format!("GRANT USAGE ON SCHEMA tpcc TO {role}")).await;
    let client = database.connect_as(&role).await;
    sql::fails(
        &client,
        "SELECT * FROM tpcc.tpcc_payment(1, 1, 1, 1, 1, NULL, 1)",
        "42501",
        &["customer"],
    )
    .await;
    // And who only calls them need not be able to install them.
    ensure(&client, "tpcc").await.unwrap();
}

#[tokio::test]
async fn a_role_that_may_not_create_is_told_the_grant() {
    let cluster = Cluster::shared();
    let (database, superuser) = setup().await;
    let role = cluster.fresh_role().await;
    let client = database.connect_as(&role).await;
    let error = ensure(&client, "tpcc").await.unwrap_err();
    assert!(
        matches!(error, FlavourError::MayNotCreate { .. }),
        "{error:?}"
    );
    let message = error.to_string();
    let (_, grant) = message.split_once(": ").expect(&message);
    sql::run(&superuser, grant).await;
    sql::run(
        &superuser,
        &format!(
            "GRANT USAGE ON SCHEMA tpcc TO {role}; GRANT ALL ON ALL TABLES IN SCHEMA tpcc TO {role}"
        ),
    )
    .await;
    ensure(&client, "tpcc").await.unwrap();
    assert_eq!(stock_level(&client).await, "0");
}

#[tokio::test]
async fn another_roles_routines_are_left_alone_and_a_missing_schema_is_named() {
    let cluster = Cluster::shared();
    let (database, superuser) = setup().await;
    ensure(&superuser, "tpcc").await.unwrap();
    sql::run(
        &superuser,
        "ALTER FUNCTION tpcc.tpcc_payment SET work_mem = '1MB'",
    )
    .await;
    let before = written(&superuser).await;
    let role = cluster.fresh_role().await;
    sql::run(
        &superuser,
        &format!("GRANT USAGE, CREATE ON SCHEMA tpcc TO {role}"),
    )
    .await;
    let client = database.connect_as(&role).await;
    let error = ensure(&client, "tpcc").await.unwrap_err();
    assert!(matches!(error, FlavourError::NotOwner { .. }), "{error:?}");
    assert_eq!(written(&superuser).await, before);
    // The session is out of the transaction that failed.
    sql::run(&client, "BEGIN; COMMIT").await;

    let error = ensure(&client, "nowhere").await.unwrap_err();
    assert!(matches!(error, FlavourError::NoSchema(_)), "{error:?}");
    assert!(error.to_string().contains("nowhere"), "{error}");
}

#[tokio::test]
async fn the_extensions_own_functions_are_not_touched() {
    let (_database, client) = setup().await;
    sql::run(&client, "CREATE EXTENSION pg_tpcc SCHEMA tpcc").await;
    let before = written(&client).await;
    let error = ensure(&client, "tpcc").await.unwrap_err();
    assert!(matches!(error, FlavourError::ExtensionsOwn(_)), "{error:?}");
    assert_eq!(written(&client).await, before);
}

#[tokio::test]
async fn many_clients_at_once_install_them_once() {
    let (database, client) = setup().await;
    let mut clients = Vec::new();
    for _ in 0..6 {
        clients.push(database.connect().await);
    }
    let installs = clients.into_iter().map(|client| {
        tokio::spawn(async move {
            ensure(&client, "tpcc")
                .await
                .map_err(|error| error.to_string())
        })
    });
    for install in installs.collect::<Vec<_>>() {
        assert_eq!(install.await.unwrap(), Ok(()));
    }
    let versions =
        "SELECT count(DISTINCT xmin::text) FROM pg_proc WHERE pronamespace = 'tpcc'::regnamespace";
    assert_eq!(sql::value(&client, versions).await, "1");
}
