//! Transactions of two sessions at once, with foreign keys, and in each isolation level.

use tests::flavour::small_schema_with_foreign_keys;
use tests::{both_flavours, checks, sql};
use workload::result::Flavour;

use crate::{new_order, payment, setup};

both_flavours!(
    payments_of_two_sessions_add_up,
    a_delivery_and_a_payment_of_the_same_customer_add_up,
    new_orders_of_two_sessions_take_different_numbers,
    two_deliveries_at_once_deliver_different_orders,
    all_five_work_with_foreign_keys_and_in_each_isolation_level,
);

async fn payments_of_two_sessions_add_up(flavour: Flavour) {
    let (database, first) = setup(flavour, "s").await;
    let second = database.connect().await;
    let pid = sql::number(&second, "SELECT pg_backend_pid()").await;
    let call = |w: i32, amount: &str| {
        payment(
            "s",
            (w, 1),
            "c_w_id => 1, c_d_id => 1, c_id => 2, c_last => NULL",
            amount,
        )
    };
    // From different warehouses, so that they meet at the customer alone.
    sql::run(&first, "BEGIN").await;
    sql::row(&first, &call(1, "100.00")).await;
    let waiting = call(2, "7.00");
    let (second_row, ()) = tokio::join!(sql::row(&second, &waiting), async {
        sql::until(
            &first,
            &format!("SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = {pid}"),
        )
        .await;
        sql::run(&first, "COMMIT").await;
    });
    assert_eq!(second_row.get("c_balance"), Some("-117.00"));
    assert_eq!(
        sql::table(&first, "SELECT c_balance, c_ytd_payment, c_payment_cnt FROM s.customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 2").await,
        [["-117.00", "117.00", "3"]]
    );
}

async fn a_delivery_and_a_payment_of_the_same_customer_add_up(flavour: Flavour) {
    let (database, first) = setup(flavour, "s").await;
    let second = database.connect().await;
    let pid = sql::number(&second, "SELECT pg_backend_pid()").await;
    sql::run(&first, "BEGIN").await;
    sql::row(
        &first,
        &payment(
            "s",
            (1, 1),
            "c_w_id => 1, c_d_id => 1, c_id => 2, c_last => NULL",
            "100.00",
        ),
    )
    .await;
    let (delivered, ()) = tokio::join!(
        sql::row(&second, "SELECT * FROM tpcc_delivery(1, 3, 's')"),
        async {
            sql::until(
                &first,
                &format!("SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = {pid}"),
            )
            .await;
            sql::run(&first, "COMMIT").await;
        }
    );
    assert_eq!(delivered.get("skipped"), Some("0"));
    // -10.00 - 100.00 + 150.15
    assert_eq!(
        sql::value(
            &first,
            "SELECT c_balance FROM s.customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 2"
        )
        .await,
        "40.15"
    );
}

async fn new_orders_of_two_sessions_take_different_numbers(flavour: Flavour) {
    let (database, first) = setup(flavour, "s").await;
    let second = database.connect().await;
    let pid = sql::number(&second, "SELECT pg_backend_pid()").await;
    // The same items in opposite orders: stock rows are locked in one order by both.
    let forward = new_order("s", (1, 1, 1), &[1, 2, 3, 4, 5], &[1; 5], &[1; 5]);
    let backward = new_order("s", (1, 1, 2), &[5, 4, 3, 2, 1], &[1; 5], &[1; 5]);
    sql::run(&first, "BEGIN").await;
    assert_eq!(sql::row(&first, &forward).await.get("o_id"), Some("4"));
    let (row, ()) = tokio::join!(sql::row(&second, &backward), async {
        sql::until(
            &first,
            &format!("SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = {pid}"),
        )
        .await;
        sql::run(&first, "COMMIT").await;
    });
    assert_eq!(row.get("o_id"), Some("5"));
    assert_eq!(row.get("s_quantities"), Some("{48,48,48,48,48}"));
}

async fn two_deliveries_at_once_deliver_different_orders(flavour: Flavour) {
    let (database, first) = setup(flavour, "s").await;
    let second = database.connect().await;
    let pid = sql::number(&second, "SELECT pg_backend_pid()").await;
    sql::run(&first, "BEGIN").await;
    assert_eq!(
        sql::row(&first, "SELECT * FROM tpcc_delivery(1, 3, 's')")
            .await
            .get("o_ids"),
        Some("{2,2,2,2,2,2,2,2,2,2}")
    );
    let (row, ()) = tokio::join!(
        sql::row(&second, "SELECT * FROM tpcc_delivery(1, 4, 's')"),
        async {
            // The second either waits for the first or has passed it by.
            sql::until(&first, &format!("SELECT wait_event_type IN ('Lock', 'Client') FROM pg_stat_activity WHERE pid = {pid}")).await;
            sql::run(&first, "COMMIT").await;
        }
    );
    assert_eq!(
        row.get("o_ids"),
        Some("{3,3,3,3,3,3,3,3,3,3}"),
        "the second takes the next ones, and skips none"
    );
    assert_eq!(
        sql::table(&first, "SELECT o_id, o_carrier_id, count(*) FROM s.orders WHERE o_w_id = 1 GROUP BY 1, 2 ORDER BY 1, 2").await,
        [["1", "7", "10"], ["2", "3", "10"], ["3", "4", "10"]]
    );
    assert_eq!(
        sql::value(
            &first,
            "SELECT sum(c_delivery_cnt) FROM s.customer WHERE c_w_id = 1"
        )
        .await,
        "20"
    );
}

async fn all_five_work_with_foreign_keys_and_in_each_isolation_level(flavour: Flavour) {
    let (_database, client) = small_schema_with_foreign_keys(flavour, "s").await;
    for (i, isolation) in (1..).zip(["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]) {
        sql::run(&client, &format!("BEGIN ISOLATION LEVEL {isolation}")).await;
        sql::row(
            &client,
            &new_order("s", (1, 1, 1), &[1, 2, 3, 2, 1], &[1, 2, 1, 2, 1], &[1; 5]),
        )
        .await;
        sql::row(
            &client,
            &payment(
                "s",
                (1, 1),
                "c_w_id => 2, c_d_id => 3, c_id => NULL, c_last => 'BARBARBAR'",
                "1.00",
            ),
        )
        .await;
        let status = sql::row(
            &client,
            "SELECT * FROM tpcc_order_status(1, 1, 1, NULL, 's')",
        )
        .await;
        assert_eq!(
            status.get("o_id"),
            Some((3 + i).to_string().as_str()),
            "a transaction sees its own order"
        );
        sql::row(&client, "SELECT * FROM tpcc_delivery(1, 1, 's')").await;
        sql::row(&client, "SELECT * FROM tpcc_stock_level(1, 1, 15, 's')").await;
        sql::run(&client, "COMMIT").await;
    }
    assert_eq!(checks::broken(&client, "s").await, []);
}
