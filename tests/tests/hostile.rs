//! What was done to break the server, and what every client may rightly do.

use tests::{Cluster, small, sql};

#[tokio::test]
async fn columns_of_another_type_are_refused_and_never_read_as_what_they_are_not() {
    let database = Cluster::shared().fresh_database().await;
    let admin = database.connect().await;
    let witness = Cluster::shared().witness().await;
    let alterations = [
        ("item ALTER i_price TYPE int4", "numeric"),
        (
            "item ALTER i_name TYPE int8 USING 81985529216486895",
            "text",
        ),
        ("district ALTER d_next_o_id TYPE int8", "integer"),
        ("customer ALTER c_discount TYPE float8", "numeric"),
    ];
    for (number, (alteration, expected)) in alterations.into_iter().enumerate() {
        let schema = format!("altered_{number}");
        small::create(&admin, &schema).await;
        sql::run(&admin, &format!("ALTER TABLE {schema}.{alteration}")).await;
        let call = format!(
            "SELECT * FROM tpcc_new_order(1, 1, 1, '{{1,2,3,4,5}}', '{{1,1,1,1,1}}', '{{1,1,1,1,1}}', '{schema}')"
        );
        // In a session of its own, whose end would show.
        let client = database.connect().await;
        sql::fails(&client, &call, "42804", &[expected]).await;
        assert_eq!(sql::value(&client, "SELECT 1").await, "1");
    }
    assert_eq!(sql::value(&witness, "SELECT 1").await, "1");
}

#[tokio::test]
async fn a_load_without_bounds_is_refused_before_it_takes_memory() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    let call = "SELECT * FROM tpcc_load(2147483647, 1, schema => 'huge')";
    sql::fails(&client, call, "22023", &["2147483647", "65536"]).await;
}

#[tokio::test]
async fn a_schema_name_that_postgresql_would_cut_is_refused() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    for call in [
        "SELECT * FROM tpcc_load(1, schema => repeat('b', 64))",
        "SELECT tpcc_drop(repeat('b', 64))",
        "SELECT * FROM tpcc_check(repeat('é', 32))",
    ] {
        sql::fails(&client, call, "42622", &["64 bytes"]).await;
    }
}

#[tokio::test]
async fn loads_and_runs_work_through_the_extended_protocol_and_not_from_functions() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    let loaded = client
        .query("SELECT table_name FROM tpcc_load($1::int4)", &[&1_i32])
        .await;
    assert_eq!(loaded.expect("a load with a parameter").len(), 9);
    let run = client
        .query("SELECT committed FROM tpcc_run('1s', $1::int4)", &[&2_i32])
        .await;
    assert_eq!(run.expect("a run with a parameter").len(), 6);

    sql::run(
        &client,
        "CREATE FUNCTION looped() RETURNS int8 LANGUAGE plpgsql AS $$
         DECLARE r record; n int8 := 0;
         BEGIN FOR r IN SELECT * FROM tpcc_run('1s', 1) LOOP n := n + 1; END LOOP; RETURN n; END $$;
         CREATE FUNCTION wrapped() RETURNS SETOF int8 LANGUAGE sql VOLATILE STRICT AS
         $$ SELECT committed FROM tpcc_run('1s', 1) $$;",
    )
    .await;
    for call in ["SELECT looped()", "SELECT * FROM wrapped()"] {
        sql::fails(&client, call, "25001", &[]).await;
        let error = client.query(call, &[]).await.expect_err(call);
        assert_eq!(
            error.code().map(|code| code.code()),
            Some("25001"),
            "{call}"
        );
    }
}

#[tokio::test]
async fn a_run_keeps_loads_and_drops_out_and_gives_its_figures_even_where_they_cannot_be_kept() {
    let database = Cluster::shared().fresh_database().await;
    let (client, other) = (database.connect().await, database.connect().await);
    sql::run(&client, "SELECT * FROM tpcc_load(1)").await;
    let refusal = "ALTER TABLE tpcc.tpcc_results ADD CHECK (run_id < 0)";
    sql::run(&client, refusal).await;
    let running = "SELECT EXISTS (SELECT FROM tpcc_progress())";
    let run = async {
        let rows = sql::table(
            &client,
            "SELECT transaction, failed FROM tpcc_run('60s', 1)",
        )
        .await;
        assert_eq!(rows.last().expect("a total"), &["total", "0"]);
    };
    let intruder = async {
        sql::until(&other, running).await;
        for call in ["SELECT * FROM tpcc_load(2)", "SELECT tpcc_drop()"] {
            sql::fails(&other, call, "TC004", &["run", "tpcc"]).await;
        }
        sql::run(&other, "SELECT tpcc_stop()").await;
    };
    tokio::join!(run, intruder);
    let notices = client.notices();
    let told = notices
        .iter()
        .any(|notice| notice.contains("could not be kept"));
    assert!(told, "{notices:?}");
}
