//! The twelve consistency conditions (clause 3.3.2): they hold after a load and after a run, and each one can fail.

use tests::small::{self, assert_difference, state};
use tests::{Cluster, discard, loaded, sql};

#[tokio::test]
async fn all_twelve_hold_after_a_load_and_after_a_run() {
    let database = loaded(2).await;
    let client = database.connect().await;
    let findings = sql::table(
        &client,
        "SELECT condition, holds, violations, example FROM tpcc_check()",
    )
    .await;
    let expected: Vec<Vec<String>> = (1..=12)
        .map(|n| vec![n.to_string(), "t".into(), "0".into(), "NULL".into()])
        .collect();
    assert_eq!(findings, expected);
    let told = "SELECT count(DISTINCT description), bool_and(description LIKE '%(3.3.2.' || condition || ')') FROM tpcc_check()";
    assert_eq!(sql::table(&client, told).await, [["12", "t"]]);

    sql::run(&client, "SELECT * FROM tpcc_run('2s', workers => 4)").await;
    assert!(sql::number(&client, "SELECT sum(d_next_o_id - 3001) FROM tpcc.district").await > 0);
    assert!(
        sql::number(
            &client,
            "SELECT 18000 - count(*) FILTER (WHERE no_o_id <= 3000) FROM tpcc.new_order"
        )
        .await
            > 0,
        "deliveries"
    );
    assert_eq!(
        sql::table(&client, "SELECT * FROM tpcc_check() WHERE NOT holds").await,
        Vec::<Vec<String>>::new()
    );
    discard(database).await;
}

/// What breaks which condition, how many violations that makes, and what the example must say.
const BREAKS: [(i32, &str, i64, &str); 24] = [
    (
        1,
        "UPDATE tpcc.warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 2",
        1,
        "warehouse 2: w_ytd 800.01, sum of d_ytd 800.00",
    ),
    (
        1,
        "DELETE FROM tpcc.district WHERE d_w_id = 1",
        1,
        "warehouse 1",
    ),
    (
        2,
        "UPDATE tpcc.district SET d_next_o_id = 5 WHERE d_w_id = 1 AND d_id = 3",
        1,
        "warehouse 1, district 3: d_next_o_id 5, highest o_id 3",
    ),
    (
        2,
        "DELETE FROM tpcc.new_order WHERE no_w_id = 1 AND no_d_id = 3 AND no_o_id = 3",
        1,
        "warehouse 1, district 3",
    ),
    (
        2,
        "DELETE FROM tpcc.orders WHERE o_w_id = 1 AND o_d_id = 3",
        1,
        "warehouse 1, district 3",
    ),
    (
        3,
        "UPDATE tpcc.new_order SET no_o_id = 1 WHERE no_w_id = 2 AND no_d_id = 7 AND no_o_id = 2",
        1,
        "warehouse 2, district 7: no_o_id 1 to 3, 2 rows",
    ),
    (
        4,
        "DELETE FROM tpcc.order_line WHERE ol_w_id = 1 AND ol_d_id = 3 AND ol_o_id = 1 AND ol_number = 5",
        1,
        "sum of o_ol_cnt 15, order lines 14",
    ),
    (
        4,
        "DELETE FROM tpcc.orders WHERE o_w_id = 1 AND o_d_id = 3",
        1,
        "sum of o_ol_cnt 0, order lines 15",
    ),
    (
        5,
        "UPDATE tpcc.orders SET o_carrier_id = 4 WHERE o_w_id = 1 AND o_d_id = 3 AND o_id = 3",
        1,
        "district 3, order 3: carrier 4, but a new_order row",
    ),
    (
        5,
        "UPDATE tpcc.orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = 3 AND o_id = 1",
        1,
        "no carrier, but no new_order row",
    ),
    (
        5,
        "DELETE FROM tpcc.orders WHERE o_w_id = 1 AND o_d_id = 3 AND o_id = 2",
        1,
        "a new_order row, but no order",
    ),
    (
        6,
        "UPDATE tpcc.orders SET o_ol_cnt = 6 WHERE o_w_id = 1 AND o_d_id = 3 AND o_id = 2",
        1,
        "order 2: o_ol_cnt 6, order lines 5",
    ),
    (
        6,
        "DELETE FROM tpcc.order_line WHERE ol_w_id = 1 AND ol_d_id = 3 AND ol_o_id = 2",
        1,
        "order 2: o_ol_cnt 5, order lines 0",
    ),
    (
        7,
        "UPDATE tpcc.order_line SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_d_id = 3 AND ol_o_id = 1 AND ol_number > 2",
        3,
        "order 1, line 3: carrier 7, delivered null",
    ),
    (
        7,
        "UPDATE tpcc.order_line SET ol_delivery_d = now() WHERE ol_w_id = 1 AND ol_d_id = 3 AND ol_o_id = 2 AND ol_number = 2",
        1,
        "order 2, line 2: carrier null",
    ),
    (
        8,
        "UPDATE tpcc.history SET h_amount = 11 WHERE h_w_id = 2 AND h_d_id = 1 AND h_c_id = 1",
        1,
        "warehouse 2: w_ytd 800.00, sum of h_amount 801.00",
    ),
    (
        9,
        "UPDATE tpcc.history SET h_d_id = 2 WHERE h_w_id = 2 AND h_d_id = 1 AND h_c_id = 1",
        2,
        "warehouse 2, district 1: d_ytd 80.00, sum of h_amount 70.00",
    ),
    (
        10,
        "UPDATE tpcc.customer SET c_balance = c_balance - 1 WHERE c_w_id = 2 AND c_d_id = 4 AND c_id = 6",
        1,
        "customer 6: c_balance -11.00, delivered 0, paid 10.00",
    ),
    (
        10,
        "DELETE FROM tpcc.history WHERE h_c_w_id = 2 AND h_c_d_id = 4 AND h_c_id = 6",
        1,
        "c_balance -10.00, delivered 0, paid 0",
    ),
    (
        10,
        "UPDATE tpcc.order_line SET ol_amount = 3 WHERE ol_w_id = 2 AND ol_d_id = 4 AND ol_o_id = 1 AND ol_number = 1",
        1,
        "delivered 3.00",
    ),
    (
        11,
        "DELETE FROM tpcc.new_order WHERE no_w_id = 1 AND no_d_id = 3 AND no_o_id = 2",
        1,
        "warehouse 1, district 3: orders 3, new orders 1",
    ),
    (
        11,
        "UPDATE tpcc.customer SET c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = 1 AND c_d_id = 3 AND c_id = 8",
        1,
        "warehouse 1, district 3",
    ),
    (
        12,
        "UPDATE tpcc.customer SET c_ytd_payment = 10.01 WHERE c_w_id = 2 AND c_d_id = 4 AND c_id = 6",
        1,
        "customer 6: c_balance -10.00, c_ytd_payment 10.01",
    ),
    (
        12,
        "UPDATE tpcc.order_line SET ol_amount = 3 WHERE ol_w_id = 2 AND ol_d_id = 4 AND ol_o_id = 1 AND ol_number = 1",
        1,
        "delivered 3.00",
    ),
];

#[tokio::test]
async fn each_condition_can_fail_and_names_where() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create(&client, "tpcc").await;
    // The small schema has one delivered order a district where a load has 2100: the eleventh condition is made to hold.
    sql::run(
        &client,
        "UPDATE tpcc.customer SET c_delivery_cnt = 1 - 2100 WHERE c_id = 1",
    )
    .await;
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc_check() WHERE holds").await,
        "12"
    );
    for (condition, broken, violations, example) in BREAKS {
        sql::run(&client, &format!("BEGIN; {broken}")).await;
        let found = sql::table(
            &client,
            &format!(
                "SELECT holds, violations, example FROM tpcc_check() WHERE condition = {condition}"
            ),
        )
        .await;
        sql::run(&client, "ROLLBACK").await;
        assert_eq!(
            found[0][..2],
            ["f".to_owned(), violations.to_string()],
            "condition {condition} after {broken}"
        );
        assert!(
            found[0][2].contains(example),
            "condition {condition} after {broken}: {}",
            found[0][2]
        );
    }
    for condition in 1..=12 {
        assert!(
            BREAKS.iter().any(|(n, ..)| *n == condition),
            "nothing breaks condition {condition}"
        );
    }
}

#[tokio::test]
async fn sums_beyond_int4_are_no_overflow() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create(&client, "tpcc").await;
    sql::run(
        &client,
        "UPDATE tpcc.customer SET c_delivery_cnt = 2147483647;
         UPDATE tpcc.district SET d_next_o_id = 2147483647;
         UPDATE tpcc.new_order SET no_o_id = CASE no_o_id WHEN 2 THEN -2147483647 ELSE 2147483647 END;
         UPDATE tpcc.warehouse SET w_ytd = 99999999999999.99",
    )
    .await;
    let broken = sql::value(
        &client,
        "SELECT array_agg(condition ORDER BY condition) FROM tpcc_check() WHERE NOT holds",
    )
    .await;
    assert_eq!(broken, "{1,2,3,5,8,11}");
}

#[tokio::test]
async fn the_check_looks_at_one_snapshot_and_changes_nothing() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    let other = database.connect().await;
    small::create(&client, "tpcc").await;
    let before = state(&client, "tpcc").await;
    // Half of a payment, committed by halves, would break conditions 8 to 10 between two snapshots.
    sql::run(&client, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await;
    sql::row(&client, "SELECT count(*) FROM tpcc.warehouse").await;
    sql::run(&other, "UPDATE tpcc.warehouse SET w_ytd = w_ytd + 1").await;
    assert_eq!(
        sql::value(
            &client,
            "SELECT count(*) FROM tpcc_check() WHERE NOT holds AND condition <> 11"
        )
        .await,
        "0"
    );
    sql::run(&client, "COMMIT").await;
    assert_eq!(
        sql::value(
            &client,
            "SELECT array_agg(condition ORDER BY condition) FROM tpcc_check() WHERE NOT holds"
        )
        .await,
        "{1,8,11}"
    );
    sql::run(&other, "UPDATE tpcc.warehouse SET w_ytd = w_ytd - 1").await;
    assert_difference(&before, &state(&client, "tpcc").await, &[]);
}

#[tokio::test]
async fn the_check_holds_while_transactions_run() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let runner = database.connect().await;
    let (result, ()) = tokio::join!(
        sql::table(&runner, "SELECT * FROM tpcc_run('4s', workers => 4)"),
        async {
            sql::until(
                &client,
                "SELECT sum(d_next_o_id) > 30010 FROM tpcc.district",
            )
            .await;
            for _ in 0..2 {
                let broken = "SELECT condition, example FROM tpcc_check() WHERE NOT holds";
                assert_eq!(sql::table(&client, broken).await, Vec::<Vec<String>>::new());
            }
        }
    );
    assert!(!result.is_empty());
    discard(database).await;
}

#[tokio::test]
async fn drop_removes_the_tables_and_the_results_when_told() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create(&client, "tpcc").await;
    sql::run(&client, "CREATE TABLE tpcc.mine (n int)").await;
    sql::run(
        &client,
        "INSERT INTO tpcc.tpcc_results (started_at, ended_at, result) VALUES (now(), now(), '{}')",
    )
    .await;
    sql::run(&client, "SELECT tpcc_drop()").await;
    let left = "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables WHERE schemaname = 'tpcc'";
    assert_eq!(
        sql::value(&client, left).await,
        "mine tpcc_results",
        "others' tables and the results stay"
    );
    sql::run(&client, "SELECT tpcc_drop(results => true)").await;
    assert_eq!(sql::value(&client, left).await, "mine");
    // Nothing to drop is no error.
    sql::run(&client, "SELECT tpcc_drop()").await;
}
