//! Wrong arguments: each is refused with its SQLSTATE and a message that names the value and what is allowed, and
//! nothing is changed. And schema names that need quoting.

use tests::flavour::{install, load_command, small_schema};
use tests::small::{self, assert_difference, state};
use tests::{Cluster, Connection, Database, both_flavours, checks, sql};
use workload::result::Flavour;

both_flavours!(
    a_null_is_refused_by_name,
    a_value_out_of_range_is_refused_with_the_range,
    a_warehouse_or_customer_that_does_not_exist_is_named,
    an_error_leaves_the_session_in_order,
    a_schema_that_does_not_exist_or_holds_nothing_is_named_with_the_command_that_mends_it,
    a_schema_name_may_hold_anything,
    search_path_changes_nothing,
);

async fn setup(flavour: Flavour) -> (Database<'static>, Connection) {
    small_schema(flavour, "tpcc").await
}

const INVALID: &str = "22023";
const NULL: &str = "22004";
const NO_SUCH_ROW: &str = "TC002";
const NOT_LOADED: &str = "TC003";

async fn a_null_is_refused_by_name(flavour: Flavour) {
    let (_database, client) = setup(flavour).await;
    let before = state(&client, "tpcc").await;
    let lines = "'{1,2,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,1}'";
    for (call, argument) in [
        (format!("tpcc_new_order(NULL, 1, 1, {lines})"), "w_id"),
        (format!("tpcc_new_order(1, NULL, 1, {lines})"), "d_id"),
        (format!("tpcc_new_order(1, 1, NULL, {lines})"), "c_id"),
        (
            "tpcc_new_order(1, 1, 1, NULL, '{1,1,1,1,1}', '{1,1,1,1,1}')".into(),
            "item_ids",
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', NULL, '{1,1,1,1,1}')".into(),
            "supply_w_ids",
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,1}', NULL)".into(),
            "quantities",
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,NULL,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,1}')".into(),
            "item_ids",
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,NULL}', '{1,1,1,1,1}')".into(),
            "supply_w_ids",
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,1}', '{NULL,1,1,1,1}')".into(),
            "quantities",
        ),
        (format!("tpcc_new_order(1, 1, 1, {lines}, NULL)"), "schema"),
        ("tpcc_payment(NULL, 1, 1, 1, 1, NULL, 1)".into(), "w_id"),
        ("tpcc_payment(1, NULL, 1, 1, 1, NULL, 1)".into(), "d_id"),
        ("tpcc_payment(1, 1, NULL, 1, 1, NULL, 1)".into(), "c_w_id"),
        ("tpcc_payment(1, 1, 1, NULL, 1, NULL, 1)".into(), "c_d_id"),
        ("tpcc_payment(1, 1, 1, 1, 1, NULL, NULL)".into(), "amount"),
        (
            "tpcc_payment(1, 1, 1, 1, 1, NULL, 1, NULL)".into(),
            "schema",
        ),
        ("tpcc_payment(1, 1, 1, 1, NULL, NULL, 1)".into(), "c_last"),
        ("tpcc_order_status(1, 1, NULL, NULL)".into(), "c_id"),
        ("tpcc_order_status(NULL, 1, 1, NULL)".into(), "w_id"),
        ("tpcc_order_status(1, NULL, 1, NULL)".into(), "d_id"),
        ("tpcc_order_status(1, 1, 1, NULL, NULL)".into(), "schema"),
        ("tpcc_delivery(NULL, 1)".into(), "w_id"),
        ("tpcc_delivery(1, NULL)".into(), "carrier_id"),
        ("tpcc_delivery(1, 1, NULL)".into(), "schema"),
        ("tpcc_stock_level(NULL, 1, 15)".into(), "w_id"),
        ("tpcc_stock_level(1, NULL, 15)".into(), "d_id"),
        ("tpcc_stock_level(1, 1, NULL)".into(), "threshold"),
        ("tpcc_stock_level(1, 1, 15, NULL)".into(), "schema"),
    ] {
        sql::fails(&client, &format!("SELECT * FROM {call}"), NULL, &[argument]).await;
    }
    assert_difference(&before, &state(&client, "tpcc").await, &[]);
}

async fn a_value_out_of_range_is_refused_with_the_range(flavour: Flavour) {
    let (_database, client) = setup(flavour).await;
    let before = state(&client, "tpcc").await;
    let lines = "'{1,2,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,1}'";
    let values: Vec<(String, &[&str])> = vec![
        (
            format!("tpcc_new_order(1, 0, 1, {lines})"),
            &["d_id", "0", "1", "10"],
        ),
        (
            format!("tpcc_new_order(1, 11, 1, {lines})"),
            &["d_id", "11", "10"],
        ),
        (
            format!("tpcc_new_order(1, 1, 0, {lines})"),
            &["c_id", "0", "3000"],
        ),
        (
            format!("tpcc_new_order(1, 1, 3001, {lines})"),
            &["c_id", "3001", "3000"],
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,1}', '{0,1,1,1,1}')".into(),
            &["0", "1", "10"],
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,11}')".into(),
            &["11", "10"],
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4}', '{1,1,1,1}', '{1,1,1,1}')".into(),
            &["4", "5", "15"],
        ),
        (
            format!(
                "tpcc_new_order(1, 1, 1, ARRAY{:?}, ARRAY{:?}, ARRAY{:?})",
                [1; 16], [1; 16], [1; 16]
            ),
            &["16", "5", "15"],
        ),
        (
            "tpcc_new_order(1, 1, 1, '{}', '{}', '{}')".into(),
            &["0", "5", "15"],
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1}', '{1,1,1,1,1}')".into(),
            &["5", "4"],
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,1,1}')".into(),
            &["5", "6"],
        ),
        (
            "tpcc_payment(1, 11, 1, 1, 1, NULL, 1)".into(),
            &["d_id", "11", "10"],
        ),
        (
            "tpcc_payment(1, 1, 1, 0, 1, NULL, 1)".into(),
            &["c_d_id", "0", "10"],
        ),
        (
            "tpcc_payment(1, 1, 1, 1, 3001, NULL, 1)".into(),
            &["c_id", "3001", "3000"],
        ),
        (
            "tpcc_payment(1, 1, 1, 1, 1, NULL, 0.99)".into(),
            &["amount", "0.99", "5000"],
        ),
        (
            "tpcc_payment(1, 1, 1, 1, 1, NULL, 5000.01)".into(),
            &["amount", "5000.01", "5000"],
        ),
        (
            "tpcc_payment(1, 1, 1, 1, 1, NULL, 'NaN')".into(),
            &["amount", "NaN"],
        ),
        (
            "tpcc_payment(1, 1, 1, 1, 1, 'BARBARBAR', 1)".into(),
            &["c_id", "c_last"],
        ),
        (
            "tpcc_order_status(1, 0, 1, NULL)".into(),
            &["d_id", "0", "10"],
        ),
        (
            "tpcc_order_status(1, 1, -1, NULL)".into(),
            &["c_id", "-1", "3000"],
        ),
        (
            "tpcc_order_status(1, 1, 1, 'BARBARBAR')".into(),
            &["c_id", "c_last"],
        ),
        ("tpcc_delivery(1, 0)".into(), &["carrier_id", "0", "10"]),
        ("tpcc_delivery(1, 11)".into(), &["carrier_id", "11", "10"]),
        ("tpcc_stock_level(1, 11, 15)".into(), &["d_id", "11", "10"]),
        (
            "tpcc_stock_level(1, 1, 9)".into(),
            &["threshold", "9", "10", "20"],
        ),
        (
            "tpcc_stock_level(1, 1, 21)".into(),
            &["threshold", "21", "20"],
        ),
    ];
    for (call, words) in values {
        sql::fails(&client, &format!("SELECT * FROM {call}"), INVALID, words).await;
    }
    assert_difference(&before, &state(&client, "tpcc").await, &[]);
}

#[tokio::test]
async fn loads_and_runs_refuse_a_value_out_of_range_with_the_range() {
    let (_database, client) = setup(Flavour::Native).await;
    let before = state(&client, "tpcc").await;
    let values: Vec<(&str, &[&str])> = vec![
        ("tpcc_gen_stock(0, 1)", &["warehouse", "0"]),
        ("tpcc_load(0)", &["warehouses", "0"]),
        ("tpcc_load(-1)", &["warehouses", "-1"]),
        ("tpcc_load(1, 0)", &["workers", "0"]),
        ("tpcc_run('0s')", &["duration"]),
        ("tpcc_run('-1s')", &["duration"]),
        ("tpcc_run('1s', workers => 0)", &["workers", "0"]),
        ("tpcc_run('1s', ramp_up => '-1s')", &["ramp_up"]),
        ("tpcc_run('1s', mix => 'fast')", &["mix", "fast"]),
        ("tpcc_run('1s', rate => 0)", &["rate", "0"]),
        ("tpcc_run('1s', rate => 'NaN')", &["rate", "NaN"]),
        (
            "tpcc_run('1s', isolation => 'none')",
            &["isolation", "none"],
        ),
        (
            "tpcc_run('1s', report_interval => '-1s')",
            &["report_interval"],
        ),
    ];
    for (call, words) in values {
        sql::fails(&client, &format!("SELECT * FROM {call}"), INVALID, words).await;
    }
    assert_difference(&before, &state(&client, "tpcc").await, &[]);
}

async fn a_warehouse_or_customer_that_does_not_exist_is_named(flavour: Flavour) {
    let (_database, client) = setup(flavour).await;
    let before = state(&client, "tpcc").await;
    let values: [(&str, &[&str]); 11] = [
        (
            "tpcc_new_order(3, 1, 1, '{1,2,3,4,5}', '{3,3,3,3,3}', '{1,1,1,1,1}')",
            &["3", "1 to 2"],
        ),
        (
            "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,99,1,1}', '{1,1,1,1,1}')",
            &["99", "1 to 2"],
        ),
        (
            "tpcc_new_order(1, 1, 9, '{1,2,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,1}')",
            &["9"],
        ),
        ("tpcc_payment(3, 1, 1, 1, 1, NULL, 1)", &["3", "1 to 2"]),
        ("tpcc_payment(1, 1, 4, 1, 1, NULL, 1)", &["4", "1 to 2"]),
        ("tpcc_payment(1, 1, 1, 1, 2999, NULL, 1)", &["2999"]),
        (
            "tpcc_payment(1, 1, 1, 1, NULL, 'PRIPRIPRI', 1)",
            &["PRIPRIPRI"],
        ),
        ("tpcc_order_status(1, 1, NULL, 'PRIPRIPRI')", &["PRIPRIPRI"]),
        ("tpcc_order_status(-7, 1, 1, NULL)", &["-7"]),
        ("tpcc_stock_level(3, 1, 15)", &["3", "1 to 2"]),
        ("tpcc_delivery(3, 1)", &["3", "1 to 2"]),
    ];
    for (call, words) in values {
        let call = format!("SELECT * FROM {call}");
        let error = sql::error(&client, &call).await;
        // A number that no warehouse can have may be refused before the tables are looked at.
        let expected: &[&str] = if call.contains("-7") {
            &[NO_SUCH_ROW, INVALID]
        } else {
            &[NO_SUCH_ROW]
        };
        assert!(
            expected.contains(&error.code().code()),
            "{}: {}\nin: {call}",
            error.code().code(),
            error.message()
        );
        for word in words {
            assert!(
                error.message().contains(word),
                "\"{}\" does not say {word}\nin: {call}",
                error.message()
            );
        }
    }
    assert_difference(&before, &state(&client, "tpcc").await, &[]);
}

async fn an_error_leaves_the_session_in_order(flavour: Flavour) {
    let (database, client) = setup(flavour).await;
    for _ in 0..3 {
        sql::error(
            &client,
            "SELECT * FROM tpcc_payment(3, 1, 1, 1, 1, NULL, 1)",
        )
        .await;
        sql::error(&client, "SELECT * FROM tpcc_new_order(1, 1, 1, '{1,2,3,4,100001}', '{1,1,1,1,1}', '{1,1,1,1,1}')").await;
        sql::row(
            &client,
            "SELECT * FROM tpcc_payment(1, 1, 1, 1, 1, NULL, 1)",
        )
        .await;
    }
    assert_eq!(
        sql::value(&client, "SELECT w_ytd FROM tpcc.warehouse WHERE w_id = 1").await,
        "803.00"
    );
    // A table that another session changed or replaced is noticed: plans are made anew.
    sql::run(&client, "ALTER TABLE tpcc.history ADD COLUMN note text").await;
    sql::row(
        &client,
        "SELECT * FROM tpcc_payment(1, 1, 1, 1, 1, NULL, 1)",
    )
    .await;
    sql::run(&client, "DROP SCHEMA tpcc CASCADE").await;
    sql::error(
        &client,
        "SELECT * FROM tpcc_payment(1, 1, 1, 1, 1, NULL, 1)",
    )
    .await;
    small::create(&client, "tpcc").await;
    install(flavour, &database, &client, "tpcc").await;
    sql::row(
        &client,
        "SELECT * FROM tpcc_payment(1, 1, 1, 1, 1, NULL, 1)",
    )
    .await;
    assert_eq!(
        sql::value(&client, "SELECT w_ytd FROM tpcc.warehouse WHERE w_id = 1").await,
        "801.00"
    );
}

async fn a_schema_that_does_not_exist_or_holds_nothing_is_named_with_the_command_that_mends_it(
    flavour: Flavour,
) {
    let (_database, client) = setup(flavour).await;
    sql::run(&client, "CREATE SCHEMA hollow").await;
    let mut calls = vec![
        "tpcc_payment(1, 1, 1, 1, 1, NULL, 1, 'SCHEMA')",
        "tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,1}', 'SCHEMA')",
        "tpcc_order_status(1, 1, 1, NULL, 'SCHEMA')",
        "tpcc_delivery(1, 1, 'SCHEMA')",
        "tpcc_stock_level(1, 1, 15, 'SCHEMA')",
    ];
    if flavour == Flavour::Native {
        calls.extend(["tpcc_run('1s', schema => 'SCHEMA')", "tpcc_check('SCHEMA')"]);
    }
    for call in calls {
        for (schema, sqlstate) in [("nowhere", "3F000"), ("hollow", NOT_LOADED)] {
            let call = format!("SELECT * FROM {}", call.replace("SCHEMA", schema));
            let error = sql::fails(&client, &call, sqlstate, &[schema]).await;
            assert!(
                error
                    .hint()
                    .is_some_and(|hint| hint.contains(load_command(flavour))),
                "no useful hint: {:?}\nin: {call}",
                error.hint()
            );
        }
    }
}

async fn a_schema_name_may_hold_anything(flavour: Flavour) {
    let (_database, client) = setup(flavour).await;
    // Names that would mean something else, or nothing, if they were not quoted; and one that would do harm.
    let names = [
        "My Schema",
        "it's",
        "with\"quote",
        "a.b",
        "select",
        "Ünï",
        "x; DROP TABLE important; --",
        "{schema}",
        "%s%n",
        "back\\slash",
    ];
    sql::run(&client, "CREATE TABLE important (n int)").await;
    for name in names {
        let quoted = sql::ident(name);
        // The helper replaces {schema} by the name: a name with {schema} in it comes out whole all the same.
        small::create(&client, name).await;
        // Called in a schema of its own each time, and across from `tpcc` all the same.
        if flavour == Flavour::Plpgsql {
            let installed = tpcc::flavour::ensure(&client, name).await;
            installed.unwrap_or_else(|error| panic!("{error}"));
        }
        let schema = sql::literal(name);
        let order = format!(
            "SELECT o_id FROM tpcc_new_order(1, 1, 1, '{{1,2,3,4,5}}', '{{1,1,1,1,2}}', '{{1,1,1,1,1}}', {schema})"
        );
        assert_eq!(sql::value(&client, &order).await, "4", "{name}");
        let order = format!(
            "SELECT status IS NOT NULL FROM tpcc_new_order(1, 1, 1, '{{1,2,3,4,100001}}', '{{1,1,1,1,2}}', '{{1,1,1,1,1}}', {schema}, true)"
        );
        assert_eq!(sql::value(&client, &order).await, "t", "{name}");
        sql::row(
            &client,
            &format!("SELECT * FROM tpcc_payment(1, 1, 1, 1, 1, NULL, 1, {schema})"),
        )
        .await;
        sql::row(
            &client,
            &format!("SELECT * FROM tpcc_order_status(1, 1, 1, NULL, {schema})"),
        )
        .await;
        sql::row(
            &client,
            &format!("SELECT * FROM tpcc_delivery(1, 1, {schema})"),
        )
        .await;
        sql::row(
            &client,
            &format!("SELECT * FROM tpcc_stock_level(1, 1, 15, {schema})"),
        )
        .await;
        assert_eq!(checks::broken(&client, name).await, [], "{name}");
        assert_eq!(
            sql::value(
                &client,
                &format!("SELECT w_ytd FROM {quoted}.warehouse WHERE w_id = 1")
            )
            .await,
            "801.00"
        );
        if flavour == Flavour::Native {
            sql::run(&client, &format!("SELECT tpcc_drop({schema})")).await;
            let left = format!(
                "SELECT count(*) FROM pg_tables WHERE schemaname = {schema} AND tablename IN ('stock', 'item', 'warehouse')"
            );
            assert_eq!(sql::value(&client, &left).await, "0", "{name}");
        }
    }
    sql::run(&client, "SELECT * FROM important").await;
}

async fn search_path_changes_nothing(flavour: Flavour) {
    let (_database, client) = setup(flavour).await;
    // Names that the statements use, found first by whoever does not say where they are.
    sql::run(
        &client,
        "CREATE SCHEMA trap;
         CREATE TABLE trap.warehouse (w_id int);
         CREATE TABLE trap.district (d_id int);
         CREATE TABLE trap.customer (c_id int);
         SET search_path = trap, public",
    )
    .await;
    let functions = match flavour {
        Flavour::Native => "public",
        Flavour::Plpgsql => "tpcc",
    };
    sql::row(
        &client,
        &format!("SELECT * FROM {functions}.tpcc_payment(1, 1, 1, 1, 1, NULL, 1)"),
    )
    .await;
    sql::run(&client, "RESET search_path").await;
    assert_eq!(
        sql::table(&client, "SELECT w_ytd, c_balance FROM tpcc.warehouse, tpcc.customer WHERE w_id = 1 AND c_w_id = 1 AND c_d_id = 1 AND c_id = 1").await,
        [["801.00", "-11.00"]]
    );
}

#[tokio::test]
async fn the_extension_may_live_in_any_schema_and_leaves_without_a_trace() {
    let database = Cluster::shared().fresh_empty_database().await;
    let client = database.connect().await;
    sql::run(
        &client,
        "CREATE SCHEMA \"the tools\"; CREATE EXTENSION pg_tpcc SCHEMA \"the tools\"",
    )
    .await;
    small::create(&client, "tpcc").await;
    sql::row(
        &client,
        "SELECT * FROM \"the tools\".tpcc_payment(1, 1, 1, 1, 1, NULL, 1)",
    )
    .await;
    sql::row(&client, "SELECT count(*) FROM \"the tools\".tpcc_check()").await;
    sql::rows(&client, "SELECT * FROM \"the tools\".tpcc_runs").await;
    assert_eq!(
        sql::value(&client, "SELECT \"the tools\".tpcc_stop()").await,
        "0"
    );
    sql::run(&client, "DROP EXTENSION pg_tpcc").await;
    let left = "SELECT count(*) FROM pg_depend WHERE refobjid = '\"the tools\"'::regnamespace";
    assert_eq!(sql::value(&client, left).await, "0");
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc.warehouse").await,
        "2",
        "the data stays"
    );
}
