//! Who may do what: the functions run with the caller's own rights, and PUBLIC may neither load nor run.

use tests::{Cluster, Connection, Database, discard, small, sql};

const DENIED: &str = "42501";

/// The functions that write, start workers or drop; nobody but the owner may call them before they are granted.
const GUARDED: [&str; 6] = [
    "tpcc_load",
    "tpcc_run",
    "tpcc_drop",
    "tpcc_stop",
    "tpcb_run",
    "oltp_run",
];

/// A role that was granted everything of the extension, and may create schemas.
async fn granted_role(database: &Database<'_>) -> String {
    let role = Cluster::shared().fresh_role().await;
    let admin = database.connect().await;
    sql::run(
        &admin,
        &format!("GRANT CREATE ON DATABASE {} TO {role}", database.name()),
    )
    .await;
    let functions = "SELECT string_agg(oid::regprocedure::text, ', ') FROM pg_proc WHERE proname = ANY ('{tpcc_load,tpcc_run,tpcc_drop,tpcc_stop}')";
    let functions = sql::value(&admin, functions).await;
    sql::run(
        &admin,
        &format!("GRANT EXECUTE ON FUNCTION {functions} TO {role}"),
    )
    .await;
    role
}

async fn fresh() -> (Database<'static>, Connection) {
    let database = Cluster::shared().fresh_database().await;
    let admin = database.connect().await;
    (database, admin)
}

#[tokio::test]
async fn public_may_not_load_run_or_drop() {
    let (database, admin) = fresh().await;
    let role = Cluster::shared().fresh_role().await;
    let client = database.connect_as(&role).await;
    sql::fails(
        &client,
        "SELECT * FROM tpcc_load(1)",
        DENIED,
        &["tpcc_load"],
    )
    .await;
    sql::fails(
        &client,
        "SELECT * FROM tpcc_run('1s')",
        DENIED,
        &["tpcc_run"],
    )
    .await;
    sql::fails(&client, "SELECT tpcc_drop()", DENIED, &["tpcc_drop"]).await;
    let public = "SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc
        WHERE proname ~ '^(tpcc|tpcb|oltp)_' AND has_function_privilege('public', oid, 'EXECUTE')";
    let public = sql::value(&admin, public).await;
    for name in GUARDED {
        assert!(
            !public.split(' ').any(|granted| granted == name),
            "PUBLIC may call {name}"
        );
    }
    let definers =
        "SELECT count(*) FROM pg_proc WHERE proname ~ '^(tpcc|tpcb|oltp|scan|rt)_' AND prosecdef";
    assert_eq!(
        sql::value(&admin, definers).await,
        "0",
        "no function runs with its owner's rights"
    );
}

#[tokio::test]
async fn a_granted_role_loads_runs_checks_and_drops_in_a_schema_of_its_own() {
    let (database, admin) = fresh().await;
    let role = granted_role(&database).await;
    let client = database.connect_as(&role).await;
    assert_eq!(
        sql::value(
            &client,
            "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
        )
        .await,
        "f"
    );
    sql::run(&client, "SELECT * FROM tpcc_load(1, schema => 'own')").await;
    let owners = "SELECT count(*) >= 12, bool_and(tableowner = current_user) FROM pg_tables WHERE schemaname = 'own'";
    assert_eq!(sql::table(&client, owners).await, [["t", "t"]]);
    assert_eq!(
        sql::value(&client, "SELECT nspowner::regrole = current_user::regrole FROM pg_namespace WHERE nspname = 'own'").await,
        "t"
    );

    let committed = "SELECT committed > 0 AND failed = 0 FROM tpcc_run('1s', workers => 2, schema => 'own') WHERE transaction = 'total'";
    assert_eq!(sql::value(&client, committed).await, "t");
    assert_eq!(
        sql::value(
            &client,
            "SELECT count(*) FROM tpcc_check('own') WHERE holds"
        )
        .await,
        "12"
    );
    sql::row(
        &client,
        "SELECT * FROM tpcc_payment(1, 1, 1, 1, 1, NULL, 1, 'own')",
    )
    .await;
    let runs = "SELECT schema, run_by FROM tpcc_runs";
    assert_eq!(
        sql::table(&client, runs).await,
        [["own".to_owned(), role.clone()]]
    );
    // Whoever may not read the table does not see the run either.
    let other = database
        .connect_as(&Cluster::shared().fresh_role().await)
        .await;
    assert_eq!(sql::table(&other, runs).await, Vec::<Vec<String>>::new());

    sql::run(&client, "SELECT tpcc_drop('own', results => true)").await;
    assert_eq!(
        sql::value(
            &admin,
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'own'"
        )
        .await,
        "0"
    );
    discard(database).await;
}

#[tokio::test]
async fn a_granted_role_cannot_touch_the_schema_of_another() {
    let (database, admin) = fresh().await;
    small::create(&admin, "theirs").await;
    let role = granted_role(&database).await;
    let client = database.connect_as(&role).await;
    let before = small::state(&admin, "theirs").await;
    let calls = [
        "SELECT * FROM tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,1}', 'theirs')",
        "SELECT * FROM tpcc_payment(1, 1, 1, 1, 1, NULL, 1, 'theirs')",
        "SELECT * FROM tpcc_order_status(1, 1, 1, NULL, 'theirs')",
        "SELECT * FROM tpcc_delivery(1, 1, 'theirs')",
        "SELECT * FROM tpcc_stock_level(1, 1, 15, 'theirs')",
        "SELECT * FROM tpcc_check('theirs')",
        "SELECT * FROM tpcc_run('1s', schema => 'theirs')",
        "SELECT * FROM tpcc_load(3, schema => 'theirs')",
        "SELECT tpcc_drop('theirs')",
    ];
    for call in calls {
        sql::fails(&client, call, DENIED, &["theirs"]).await;
    }
    // With the right to read it may read, and no more.
    sql::run(&admin, &format!("GRANT USAGE ON SCHEMA theirs TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA theirs TO {role}")).await;
    for call in calls.into_iter().filter(|call| !call.contains("tpcc_run")) {
        if ["order_status", "stock_level", "check"]
            .iter()
            .any(|name| call.contains(name))
        {
            sql::rows(&client, call).await;
        } else {
            sql::fails(&client, call, DENIED, &[]).await;
        }
    }
    let run = |mix: &str| {
        format!(
            "SELECT committed > 0, failed FROM tpcc_run('1s', schema => 'theirs', mix => '{mix}=1') WHERE transaction = 'total'"
        )
    };
    assert_eq!(sql::table(&client, &run("stock_level")).await, [["t", "0"]]);
    // A delivery is refused whatever it would find; a payment may first ask for a customer by name
    // whom the small schema does not have.
    sql::fails(&client, &run("delivery"), DENIED, &["permission denied"]).await;
    small::assert_difference(&before, &small::state(&admin, "theirs").await, &[]);
    // And with the rights of an application it does the transactions.
    sql::run(
        &admin,
        &format!("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA theirs TO {role}"),
    )
    .await;
    for call in &calls[..5] {
        sql::row(&client, call).await;
    }
}

#[tokio::test]
async fn a_role_that_may_not_create_schemas_loads_into_one_that_it_was_given() {
    let (database, admin) = fresh().await;
    let role = granted_role(&database).await;
    sql::run(
        &admin,
        &format!("REVOKE CREATE ON DATABASE {} FROM {role}", database.name()),
    )
    .await;
    let client = database.connect_as(&role).await;
    sql::fails(
        &client,
        "SELECT * FROM tpcc_load(1, schema => 'own')",
        DENIED,
        &[],
    )
    .await;
    sql::run(&admin, &format!("CREATE SCHEMA given AUTHORIZATION {role}")).await;
    sql::run(&client, "SELECT * FROM tpcc_load(1, schema => 'given')").await;
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM given.warehouse").await,
        "1"
    );
    discard(database).await;
}

#[tokio::test]
async fn a_run_is_stopped_by_its_own_role_and_by_superusers_only() {
    let (database, admin) = fresh().await;
    let role = granted_role(&database).await;
    let runner = database.connect_as(&role).await;
    sql::run(&runner, "SELECT * FROM tpcc_load(1, schema => 'own')").await;
    let stranger = database.connect_as(&granted_role(&database).await).await;
    let twin = database.connect_as(&role).await;
    for stopper in [&admin, &twin] {
        let before = sql::number(&admin, "SELECT sum(d_next_o_id) FROM own.district").await;
        let (result, ()) = tokio::join!(
            sql::value(
                &runner,
                "SELECT committed > 0 FROM tpcc_run('10min', workers => 2, schema => 'own') WHERE transaction = 'total'"
            ),
            async {
                sql::until(
                    &admin,
                    &format!("SELECT sum(d_next_o_id) > {before} FROM own.district"),
                )
                .await;
                match stranger.simple_query("SELECT tpcc_stop('own')").await {
                    Ok(_) => assert_eq!(
                        sql::value(&stranger, "SELECT tpcc_stop('own')").await,
                        "0",
                        "a stranger stops nothing"
                    ),
                    Err(error) => {
                        assert_eq!(error.as_db_error().map(|e| e.code().code()), Some(DENIED))
                    }
                }
                assert_eq!(sql::value(stopper, "SELECT tpcc_stop('own')").await, "1");
            }
        );
        assert_eq!(
            result, "t",
            "the run goes on until it is stopped, and gives its partial result"
        );
    }
    discard(database).await;
}

#[tokio::test]
async fn workers_log_in_as_the_caller() {
    let (database, admin) = fresh().await;
    let role = granted_role(&database).await;
    let runner = database.connect_as(&role).await;
    sql::run(&runner, "SELECT * FROM tpcc_load(1, schema => 'own')").await;
    sql::run(
        &runner,
        "SET statement_timeout = 0; SET synchronous_commit = off",
    )
    .await;
    let workers = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{}' AND backend_type <> 'client backend'
           AND backend_type NOT LIKE '%parallel%' AND backend_type NOT LIKE '%autovacuum%'",
        database.name()
    );
    let twin = database.connect_as(&role).await;
    let ((), ()) = tokio::join!(
        sql::run(
            &runner,
            "SELECT * FROM tpcc_run('10min', workers => 3, schema => 'own')"
        ),
        async {
            sql::until(&admin, &format!("SELECT ({workers}) = 3")).await;
            assert_eq!(
                sql::number(&admin, &format!("{workers} AND usename = '{role}'")).await,
                3
            );
            sql::run(&twin, "SELECT tpcc_stop('own')").await;
        }
    );
    // A role that SET ROLE made the current one is the one that counts, as for any statement.
    let weak = Cluster::shared().fresh_role().await;
    sql::run(&admin, &format!("GRANT {weak} TO {role}")).await;
    sql::run(&runner, &format!("SET ROLE {weak}")).await;
    sql::fails(
        &runner,
        "SELECT * FROM tpcc_run('1s', schema => 'own')",
        DENIED,
        &[],
    )
    .await;
    discard(database).await;
}

#[tokio::test]
async fn row_security_and_triggers_of_the_schema_owner_run_with_the_callers_rights() {
    let (database, admin) = fresh().await;
    let role = granted_role(&database).await;
    let client = database.connect_as(&role).await;
    sql::run(
        &admin,
        "CREATE TABLE public.secret (n int); CREATE TABLE public.seen (who name)",
    )
    .await;
    sql::run(&admin, "GRANT INSERT ON public.seen TO PUBLIC").await;
    sql::run(&admin, &format!("CREATE SCHEMA own AUTHORIZATION {role}")).await;
    // The owner of a schema cannot make others work for him: a trigger of his runs as whoever makes it fire.
    small::create(&admin, "small").await;
    sql::run(
        &admin,
        "CREATE FUNCTION small.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.seen VALUES (current_user); RETURN NEW; END';
         CREATE TRIGGER note AFTER INSERT ON small.history FOR EACH ROW EXECUTE FUNCTION small.note()",
    )
    .await;
    sql::run(
        &admin,
        &format!("GRANT USAGE ON SCHEMA small TO {role}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA small TO {role}"),
    )
    .await;
    sql::row(
        &client,
        "SELECT * FROM tpcc_payment(1, 1, 1, 1, 1, NULL, 1, 'small')",
    )
    .await;
    assert_eq!(
        sql::table(&admin, "SELECT who FROM public.seen").await,
        [[role]]
    );
    sql::fails(&client, "SELECT * FROM public.secret", DENIED, &[]).await;
}
