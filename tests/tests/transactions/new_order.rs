//! New-Order (clause 2.4).

use tests::small::{self, state};
use tests::{both_flavours, sql};
use workload::result::Flavour;

use crate::{expect, new_line, new_order, order, payment, setup, stock};

both_flavours!(
    new_order_does_and_returns_all_of_the_standard,
    new_order_takes_remote_lines_from_the_remote_warehouse,
    new_order_keeps_the_order_of_its_lines,
    new_order_with_a_repeated_item_counts_each_line,
    new_order_refills_stock_below_ten,
    new_order_takes_dist_info_of_its_district,
    new_order_with_an_unused_item_leaves_no_trace,
    new_order_can_report_the_rollback_as_a_row,
);

async fn new_order_does_and_returns_all_of_the_standard(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    let before = state(&client, "s").await;
    let row = sql::row(
        &client,
        "SELECT *, round(total_amount, 2) AS total, o_entry_d BETWEEN now() AND clock_timestamp() AS entered_now
         FROM tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{1,1,1,1,1}', '{1,2,3,4,5}', 's')",
    )
    .await;

    let mut expected = vec!["district 1/1 d_next_o_id: 4 -> 5".to_owned()];
    expected.extend(order("1/1/4", 1, 5, 1));
    // Item i costs i + 0.25.
    let amounts = ["1.25", "4.50", "9.75", "17.00", "26.25"];
    for (i, amount) in (1..).zip(amounts) {
        expected.push(new_line("1/1/4", i, i, 1, i, amount));
        expected.extend(stock(&format!("1/{i}"), (50, 50 - i), i, 1, 0));
    }
    expect(&before, &state(&client, "s").await, expected);

    assert_eq!(
        row.get("o_id"),
        Some("4"),
        "the order takes d_next_o_id as it was before"
    );
    assert_eq!(row.get("o_ol_cnt"), Some("5"));
    assert_eq!(row.get("c_last"), Some("BARBARBAR"));
    assert_eq!(row.get("c_credit"), Some("GC"));
    assert_eq!(row.get("c_discount"), Some("0.0100"));
    assert_eq!(row.get("w_tax"), Some("0.1000"));
    assert_eq!(row.get("d_tax"), Some("0.0100"));
    // 58.75 * (1 - 0.01) * (1 + 0.1 + 0.01) = 64.560375
    assert_eq!(row.get("total"), Some("64.56"));
    assert_eq!(
        row.get("i_names"),
        Some("{\"Item 01\",\"Item 02\",\"Item 03\",\"Item 04\",\"Item 05\"}")
    );
    assert_eq!(row.get("s_quantities"), Some("{49,48,47,46,45}"));
    assert_eq!(row.get("brand_generic"), Some("{G,B,G,G,G}"));
    assert_eq!(row.get("i_prices"), Some("{1.25,2.25,3.25,4.25,5.25}"));
    assert_eq!(row.get("ol_amounts"), Some("{1.25,4.50,9.75,17.00,26.25}"));
    assert_eq!(row.get("entered_now"), Some("t"));
    let entered = sql::value(
        &client,
        "SELECT o_entry_d FROM s.orders WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 4",
    )
    .await;
    assert_eq!(row.get("o_entry_d"), Some(entered.as_str()));
    let server_us: i64 = row
        .get("server_us")
        .and_then(|us| us.parse().ok())
        .expect("microseconds");
    assert!((1..60_000_000).contains(&server_us), "{server_us}");
}

async fn new_order_takes_remote_lines_from_the_remote_warehouse(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    let before = state(&client, "s").await;
    let row = sql::row(
        &client,
        &new_order(
            "s",
            (1, 3, 2),
            &[1, 2, 3, 2, 5],
            &[1, 2, 2, 1, 2],
            &[1, 2, 3, 4, 5],
        ),
    )
    .await;

    let mut expected = vec!["district 1/3 d_next_o_id: 4 -> 5".to_owned()];
    expected.extend(order("1/3/4", 2, 5, 0));
    expected.push(new_line("1/3/4", 1, 1, 1, 1, "1.25"));
    expected.push(new_line("1/3/4", 2, 2, 2, 2, "4.50"));
    expected.push(new_line("1/3/4", 3, 3, 2, 3, "9.75"));
    expected.push(new_line("1/3/4", 4, 2, 1, 4, "9.00"));
    expected.push(new_line("1/3/4", 5, 5, 2, 5, "26.25"));
    expected.extend(stock("1/1", (50, 49), 1, 1, 0));
    expected.extend(stock("2/2", (50, 48), 2, 1, 1));
    expected.extend(stock("2/3", (50, 47), 3, 1, 1));
    expected.extend(stock("1/2", (50, 46), 4, 1, 0));
    expected.extend(stock("2/5", (50, 45), 5, 1, 1));
    expect(&before, &state(&client, "s").await, expected);
    assert_eq!(
        row.get("brand_generic"),
        Some("{G,G,G,B,G}"),
        "the brand depends on the supplying warehouse's stock"
    );
    assert_eq!(row.get("s_quantities"), Some("{49,48,47,46,45}"));
}

async fn new_order_keeps_the_order_of_its_lines(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    let before = state(&client, "s").await;
    let row = sql::row(
        &client,
        &new_order(
            "s",
            (2, 10, 1),
            &[9, 3, 7, 1, 30],
            &[1, 2, 2, 1, 2],
            &[10, 1, 1, 2, 1],
        ),
    )
    .await;
    let mut expected = vec!["district 2/10 d_next_o_id: 4 -> 5".to_owned()];
    expected.extend(order("2/10/4", 1, 5, 0));
    expected.push(new_line("2/10/4", 1, 9, 1, 10, "92.50"));
    expected.push(new_line("2/10/4", 2, 3, 2, 1, "3.25"));
    expected.push(new_line("2/10/4", 3, 7, 2, 1, "7.25"));
    expected.push(new_line("2/10/4", 4, 1, 1, 2, "2.50"));
    expected.push(new_line("2/10/4", 5, 30, 2, 1, "30.25"));
    expected.extend(stock("1/9", (50, 40), 10, 1, 1));
    expected.extend(stock("2/3", (50, 49), 1, 1, 0));
    expected.extend(stock("2/7", (50, 49), 1, 1, 0));
    expected.extend(stock("1/1", (50, 48), 2, 1, 1));
    expected.extend(stock("2/30", (50, 49), 1, 1, 0));
    expect(&before, &state(&client, "s").await, expected);
    assert_eq!(
        row.get("i_names"),
        Some("{\"Item 09\",\"Item 03\",\"Item 07\",\"Item 01\",\"Item 30\"}")
    );
    assert_eq!(row.get("ol_amounts"), Some("{92.50,3.25,7.25,2.50,30.25}"));
    assert_eq!(row.get("s_quantities"), Some("{40,49,49,48,49}"));
}

async fn new_order_with_a_repeated_item_counts_each_line(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    let before = state(&client, "s").await;
    let row = sql::row(
        &client,
        &new_order(
            "s",
            (1, 1, 1),
            &[4, 4, 6, 4, 6, 4],
            &[1, 1, 1, 2, 1, 1],
            &[1, 2, 3, 4, 5, 6],
        ),
    )
    .await;
    let mut expected = vec!["district 1/1 d_next_o_id: 4 -> 5".to_owned()];
    expected.extend(order("1/1/4", 1, 6, 0));
    expected.push(new_line("1/1/4", 1, 4, 1, 1, "4.25"));
    expected.push(new_line("1/1/4", 2, 4, 1, 2, "8.50"));
    expected.push(new_line("1/1/4", 3, 6, 1, 3, "18.75"));
    expected.push(new_line("1/1/4", 4, 4, 2, 4, "17.00"));
    expected.push(new_line("1/1/4", 5, 6, 1, 5, "31.25"));
    expected.push(new_line("1/1/4", 6, 4, 1, 6, "25.50"));
    // 1 + 2 + 6 of item 4 and 3 + 5 of item 6 at home, 4 of item 4 from the other warehouse.
    expected.extend(stock("1/4", (50, 41), 9, 3, 0));
    expected.extend(stock("1/6", (50, 42), 8, 2, 0));
    expected.extend(stock("2/4", (50, 46), 4, 1, 1));
    expect(&before, &state(&client, "s").await, expected);
    assert_eq!(
        row.get("s_quantities"),
        Some("{49,47,47,46,42,41}"),
        "each line sees what the lines before it left"
    );
}

async fn new_order_refills_stock_below_ten(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    sql::run(&client, "UPDATE s.stock SET s_quantity = CASE s_i_id WHEN 1 THEN 15 WHEN 2 THEN 14 WHEN 3 THEN 10 ELSE 11 END").await;
    let row = sql::row(
        &client,
        &new_order("s", (1, 1, 1), &[1, 2, 3, 4, 5], &[1; 5], &[5, 5, 10, 1, 2]),
    )
    .await;
    // 15 - 5 = 10 stays; 14 - 5 + 91 = 100; 10 - 10 + 91 = 91; 11 - 1 = 10 stays; 11 - 2 + 91 = 100.
    assert_eq!(row.get("s_quantities"), Some("{10,100,91,10,100}"));
    assert_eq!(
        sql::value(&client, "SELECT array_agg(s_quantity ORDER BY s_i_id) FROM s.stock WHERE s_w_id = 1 AND s_i_id <= 5").await,
        "{10,100,91,10,100}"
    );

    // One item twelve times, 10 each, from 10: 91, 81, 71, 61, 51, 41, 31, 21, 11, 11 - 10 + 91 = 92, 82, 72.
    sql::run(
        &client,
        "UPDATE s.stock SET s_quantity = 10 WHERE s_i_id = 9",
    )
    .await;
    let row = sql::row(
        &client,
        &new_order("s", (1, 1, 1), &[9; 12], &[1; 12], &[10; 12]),
    )
    .await;
    assert_eq!(
        row.get("s_quantities"),
        Some("{91,81,71,61,51,41,31,21,11,92,82,72}")
    );
    assert_eq!(
        sql::table(&client, "SELECT s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM s.stock WHERE s_w_id = 1 AND s_i_id = 9").await,
        [["72", "120", "12", "0"]]
    );
}

async fn new_order_takes_dist_info_of_its_district(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    for district in 1..=10 {
        sql::row(
            &client,
            &new_order(
                "s",
                (1, district, 1),
                &[11, 12, 13, 14, 15],
                &[1; 5],
                &[1; 5],
            ),
        )
        .await;
    }
    let found = sql::table(
        &client,
        "SELECT ol_d_id, string_agg(ol_dist_info, ' ' ORDER BY ol_number) FROM s.order_line WHERE ol_o_id = 4 GROUP BY ol_d_id ORDER BY ol_d_id",
    )
    .await;
    assert_eq!(found.len(), 10);
    for (district, row) in (1..).zip(found) {
        let expected: Vec<String> = (11..=15)
            .map(|item| format!("w1-i{item}-d{district:02}.............."))
            .collect();
        assert_eq!(row[1], expected.join(" "));
    }
}

async fn new_order_with_an_unused_item_leaves_no_trace(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    let before = state(&client, "s").await;
    let unused = new_order("s", (1, 1, 1), &[1, 2, 3, 4, 100_001], &[1; 5], &[1; 5]);
    sql::fails(&client, &unused, "TC001", &["Item number is not valid"]).await;
    expect(&before, &state(&client, "s").await, vec![]);

    // Inside a transaction the caller's savepoint gets him back.
    sql::run(&client, "BEGIN; SAVEPOINT before").await;
    sql::fails(&client, &unused, "TC001", &["Item number is not valid"]).await;
    sql::run(&client, "ROLLBACK TO before; COMMIT").await;
    expect(&before, &state(&client, "s").await, vec![]);
    assert_eq!(
        sql::row(
            &client,
            &new_order("s", (1, 1, 1), &[1; 5], &[1; 5], &[1; 5])
        )
        .await
        .get("o_id"),
        Some("4")
    );
}

async fn new_order_can_report_the_rollback_as_a_row(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
    let before = state(&client, "s").await;
    let call = "SELECT * FROM tpcc_new_order(1, 1, 2, '{1,2,3,4,100001}', '{1,1,1,1,1}', '{1,1,1,1,1}', 's', report_rollback => true)";
    let row = sql::row(&client, call).await;
    assert_eq!(row.get("status"), Some("Item number is not valid"));
    // What the terminal shows for such an order (2.4.3.4).
    assert_eq!(row.get("o_id"), Some("4"));
    assert_eq!(row.get("c_last"), Some("BARBARBAR"));
    assert_eq!(row.get("c_credit"), Some("GC"));
    expect(&before, &state(&client, "s").await, vec![]);

    // Only the call's own work is undone, not the transaction around it.
    sql::run(&client, "BEGIN").await;
    sql::row(
        &client,
        &payment(
            "s",
            (2, 2),
            "c_w_id => 2, c_d_id => 2, c_id => 7, c_last => NULL",
            "5.00",
        ),
    )
    .await;
    assert_eq!(
        sql::row(&client, call).await.get("status"),
        Some("Item number is not valid")
    );
    sql::row(&client, call).await;
    sql::run(&client, "COMMIT").await;
    let after = state(&client, "s").await;
    assert_eq!(
        small::difference(&before, &after).len(),
        6,
        "the payment's changes: {:#?}",
        small::difference(&before, &after)
    );

    // An order that goes through says so.
    let good = "SELECT * FROM tpcc_new_order(1, 1, 2, '{1,2,3,4,5}', '{1,1,1,1,1}', '{1,1,1,1,1}', 's', report_rollback => true)";
    let row = sql::row(&client, good).await;
    assert_ne!(row.get("status"), Some("Item number is not valid"));
    assert_eq!(row.get("o_id"), Some("4"));
}
