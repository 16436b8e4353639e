//! Order-Status (clause 2.6) and Stock-Level (2.8), which only read.

use tests::small::state;
use tests::{both_flavours, sql};
use workload::result::Flavour;

use crate::{expect, new_order, setup};

both_flavours!(
    order_status_shows_the_newest_order_of_the_customer,
    stock_level_counts_distinct_items_of_the_last_twenty_orders,
    the_reading_transactions_write_nothing_and_take_no_transaction_id,
);

async fn order_status_shows_the_newest_order_of_the_customer(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    sql::row(
        &client,
        &new_order(
            "s",
            (1, 5, 1),
            &[21, 22, 23, 24, 25],
            &[2, 1, 1, 1, 1],
            &[1, 2, 3, 4, 5],
        ),
    )
    .await;
    sql::row(
        &client,
        &new_order("s", (1, 5, 4), &[6; 5], &[1; 5], &[1; 5]),
    )
    .await;
    sql::row(
        &client,
        &new_order("s", (1, 6, 1), &[7; 5], &[1; 5], &[1; 5]),
    )
    .await;
    let before = state(&client, "s").await;

    let row = sql::row(
        &client,
        "SELECT * FROM tpcc_order_status(1, 5, 1, NULL, 's')",
    )
    .await;
    let shown = [
        ("customer_id", "1"),
        ("c_first", "Delta"),
        ("c_middle", "OE"),
        ("customer_last", "BARBARBAR"),
        ("c_balance", "-10.00"),
        ("o_id", "4"),
        ("ol_supply_w_ids", "{2,1,1,1,1}"),
        ("ol_i_ids", "{21,22,23,24,25}"),
        ("ol_quantities", "{1,2,3,4,5}"),
        ("ol_amounts", "{21.25,44.50,69.75,97.00,126.25}"),
        ("ol_delivery_ds", "{NULL,NULL,NULL,NULL,NULL}"),
    ];
    for (column, value) in shown {
        assert_eq!(row.get(column), Some(value), "{column}");
    }
    assert_eq!(row.get("o_carrier_id"), None);
    let entered = sql::value(
        &client,
        "SELECT o_entry_d FROM s.orders WHERE o_w_id = 1 AND o_d_id = 5 AND o_id = 4",
    )
    .await;
    assert_eq!(row.get("o_entry_d"), Some(entered.as_str()));

    let row = sql::row(
        &client,
        "SELECT o_id, o_carrier_id, ol_i_ids, ol_amounts, ol_delivery_ds = array_fill(timestamptz '2026-01-01 00:00:00+00', ARRAY[5]) AS delivered
         FROM tpcc_order_status(2, 5, 1, NULL, 's')",
    )
    .await;
    assert_eq!(row.get("o_id"), Some("1"));
    assert_eq!(row.get("o_carrier_id"), Some("7"));
    assert_eq!(row.get("ol_i_ids"), Some("{1,2,3,4,5}"));
    assert_eq!(row.get("ol_amounts"), Some("{0.00,0.00,0.00,0.00,0.00}"));
    assert_eq!(row.get("delivered"), Some("t"));
    expect(&before, &state(&client, "s").await, vec![]);
}

async fn stock_level_counts_distinct_items_of_the_last_twenty_orders(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    let low = async |threshold: i32| {
        sql::number(
            &client,
            &format!("SELECT low_stock FROM tpcc_stock_level(1, 8, {threshold}, 's')"),
        )
        .await
    };
    // The district's three orders hold items 1 to 5. Item 20 is in none, and warehouse 2 is another's.
    sql::run(&client, "UPDATE s.stock SET s_quantity = CASE s_i_id WHEN 1 THEN 5 WHEN 2 THEN 15 WHEN 3 THEN 12 WHEN 20 THEN 3 ELSE 60 END WHERE s_w_id = 1").await;
    sql::run(
        &client,
        "UPDATE s.stock SET s_quantity = 1 WHERE s_w_id = 2",
    )
    .await;
    assert_eq!(low(10).await, 1);
    assert_eq!(low(15).await, 2, "below, not at, the threshold");
    assert_eq!(low(16).await, 3);
    // Orders 4 to 22: the last twenty are 3 to 22.
    for _ in 0..19 {
        sql::row(
            &client,
            &new_order("s", (1, 8, 1), &[6, 7, 8, 9, 10], &[1; 5], &[1; 5]),
        )
        .await;
    }
    assert_eq!(low(16).await, 3);
    // Order 23 pushes order 3 out.
    sql::row(
        &client,
        &new_order("s", (1, 8, 1), &[6, 7, 8, 9, 10], &[1; 5], &[1; 5]),
    )
    .await;
    assert_eq!(low(16).await, 0);
    assert_eq!(low(20).await, 0);
}

async fn the_reading_transactions_write_nothing_and_take_no_transaction_id(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    sql::run(&client, "BEGIN READ ONLY").await;
    sql::row(
        &client,
        "SELECT * FROM tpcc_order_status(1, 5, 1, NULL, 's')",
    )
    .await;
    sql::row(
        &client,
        "SELECT * FROM tpcc_order_status(1, 5, NULL, 'BARBARBAR', 's')",
    )
    .await;
    sql::row(&client, "SELECT * FROM tpcc_stock_level(1, 5, 15, 's')").await;
    sql::run(&client, "COMMIT; BEGIN").await;
    sql::row(
        &client,
        "SELECT * FROM tpcc_order_status(1, 5, 1, NULL, 's')",
    )
    .await;
    sql::row(&client, "SELECT * FROM tpcc_stock_level(1, 5, 15, 's')").await;
    let unassigned = "SELECT pg_current_xact_id_if_assigned() IS NULL";
    assert_eq!(sql::value(&client, unassigned).await, "t");
    sql::run(&client, "COMMIT").await;
}
