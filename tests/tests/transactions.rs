//! The five transactions (clauses 2.4 to 2.8) against values computed by hand, on the small schema of `tests::small`:
//! what each one changes in all nine tables, and what it returns.

use tests::small::{self, assert_difference, state};
use tests::{Cluster, Connection, Database, sql};

/// A small schema of the test's own.
async fn setup(schema: &str) -> (Database<'static>, Connection) {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create(&client, schema).await;
    (database, client)
}

/// `new_order(schema, (w, d, c), items, supplying warehouses, quantities)` as SQL.
fn new_order(
    schema: &str,
    (w, d, c): (i32, i32, i32),
    items: &[i32],
    supply: &[i32],
    quantities: &[i32],
) -> String {
    format!(
        "SELECT * FROM tpcc_new_order({w}, {d}, {c}, ARRAY{items:?}, ARRAY{supply:?}, ARRAY{quantities:?}, schema => '{schema}')"
    )
}

fn payment(schema: &str, (w, d): (i32, i32), customer: &str, amount: &str) -> String {
    format!(
        "SELECT * FROM tpcc_payment({w}, {d}, {customer}, amount => {amount}, schema => '{schema}')"
    )
}

/// The line of a difference for a new order line; `supply` is the supplying warehouse.
fn new_line(
    order: &str,
    number: i32,
    item: i32,
    supply: i32,
    quantity: i32,
    amount: &str,
) -> String {
    let district: i32 = order
        .split('/')
        .nth(1)
        .and_then(|d| d.parse().ok())
        .expect("an order's key");
    format!(
        "+ order_line {order}/{number} ol_amount={amount}, ol_delivery_d=NULL, \
         ol_dist_info=w{supply}-i{item:02}-d{district:02}.............., ol_i_id={item}, ol_quantity={quantity}, ol_supply_w_id={supply}"
    )
}

fn order(order: &str, customer: i32, lines: i32, all_local: i32) -> [String; 2] {
    [
        format!("+ new_order {order}"),
        format!(
            "+ orders {order} o_all_local={all_local}, o_c_id={customer}, o_carrier_id=NULL, o_entry_d=time, o_ol_cnt={lines}"
        ),
    ]
}

fn stock(key: &str, quantity: (i32, i32), ytd: i32, orders: i32, remote: i32) -> Vec<String> {
    let mut lines = vec![
        format!("stock {key} s_quantity: {} -> {}", quantity.0, quantity.1),
        format!("stock {key} s_ytd: 0 -> {ytd}"),
        format!("stock {key} s_order_cnt: 0 -> {orders}"),
    ];
    if remote > 0 {
        lines.push(format!("stock {key} s_remote_cnt: 0 -> {remote}"));
    }
    lines
}

fn expect(before: &small::State, after: &small::State, expected: Vec<String>) {
    assert_difference(
        before,
        after,
        &expected.iter().map(String::as_str).collect::<Vec<_>>(),
    );
}

#[tokio::test]
async fn new_order_does_and_returns_all_of_the_standard() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn new_order_takes_remote_lines_from_the_remote_warehouse() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn new_order_keeps_the_order_of_its_lines() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn new_order_with_a_repeated_item_counts_each_line() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn new_order_refills_stock_below_ten() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn new_order_takes_dist_info_of_its_district() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn new_order_with_an_unused_item_leaves_no_trace() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn new_order_can_report_the_rollback_as_a_row() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn payment_by_id_for_a_customer_of_another_warehouse() {
    let (_database, client) = setup("s").await;
    let before = state(&client, "s").await;
    let row = sql::row(
        &client,
        &payment(
            "s",
            (1, 3),
            "c_w_id => 2, c_d_id => 4, c_id => 1, c_last => NULL",
            "12.34",
        ),
    )
    .await;
    let expected = [
        "warehouse 1 w_ytd: 800.00 -> 812.34",
        "district 1/3 d_ytd: 80.00 -> 92.34",
        "customer 2/4/1 c_balance: -10.00 -> -22.34",
        "customer 2/4/1 c_ytd_payment: 10.00 -> 22.34",
        "customer 2/4/1 c_payment_cnt: 1 -> 2",
        "+ history 1/3/2/4/1/12.34/W-One    D-1-3 h_date=time",
    ];
    assert_difference(&before, &state(&client, "s").await, &expected);
    let shown = [
        ("customer_id", "1"),
        ("w_street_1", "First street 1"),
        ("w_street_2", "First floor"),
        ("w_city", "Onetown"),
        ("w_state", "AA"),
        ("w_zip", "111111111"),
        ("d_street_1", "Road 1"),
        ("d_street_2", "Road 2"),
        ("d_city", "Districtcity"),
        ("d_state", "CC"),
        ("d_zip", "333311111"),
        ("c_first", "Delta"),
        ("c_middle", "OE"),
        ("customer_last", "BARBARBAR"),
        ("c_street_1", "Lane 1"),
        ("c_street_2", "Lane 2"),
        ("c_city", "Customercity"),
        ("c_state", "DD"),
        ("c_zip", "444411111"),
        ("c_phone", "0123456789012345"),
        ("c_credit", "GC"),
        ("c_credit_lim", "50000.00"),
        ("c_discount", "0.0100"),
        ("c_balance", "-22.34"),
        ("h_amount", "12.34"),
    ];
    for (column, value) in shown {
        assert_eq!(row.get(column), Some(value), "{column}");
    }
    assert_eq!(
        row.get("c_data"),
        None,
        "c_data is shown for bad credit only"
    );
    let since = sql::value(
        &client,
        "SELECT c_since FROM s.customer WHERE c_w_id = 2 AND c_d_id = 4 AND c_id = 1",
    )
    .await;
    assert_eq!(row.get("c_since"), Some(since.as_str()));
    let paid = sql::table(
        &client,
        "SELECT h_date, h_date > now() - interval '1 minute' FROM s.history WHERE h_amount = 12.34",
    )
    .await;
    assert_eq!(row.get("h_date"), Some(paid[0][0].as_str()));
    assert_eq!(paid[0][1], "t");
}

#[tokio::test]
async fn payment_of_a_bad_credit_customer_writes_his_history_into_c_data() {
    let (_database, client) = setup("s").await;
    let c_data = |c: i32| {
        format!("SELECT c_data FROM s.customer WHERE c_w_id = 2 AND c_d_id = 4 AND c_id = {c}")
    };
    let row = sql::row(
        &client,
        &payment(
            "s",
            (1, 3),
            "c_w_id => 2, c_d_id => 4, c_id => 5, c_last => NULL",
            "12.30",
        ),
    )
    .await;
    assert_eq!(row.get("c_credit"), Some("BC"));
    let stored = sql::value(&client, &c_data(5)).await;
    let rest = stored.strip_prefix("5 4 2 3 1 12.30").expect(&stored);
    assert!(
        rest.ends_with("old data") && rest.len() - "old data".len() <= 3,
        "{stored}"
    );
    assert_eq!(
        row.get("c_data"),
        Some(stored.as_str()),
        "shorter than 200 characters, it is shown whole"
    );

    let long = sql::value(&client, &c_data(6)).await;
    assert_eq!(long.len(), 500);
    let row = sql::row(
        &client,
        &payment(
            "s",
            (1, 3),
            "c_w_id => 2, c_d_id => 4, c_id => 6, c_last => NULL",
            "4999.99",
        ),
    )
    .await;
    let stored = sql::value(&client, &c_data(6)).await;
    assert_eq!(stored.len(), 500, "cut at 500");
    assert!(stored.starts_with("6 4 2 3 1 4999.99"), "{stored}");
    let kept = &stored[stored.find("long").expect("the old text follows")..];
    assert!(long.starts_with(kept) && kept.len() >= 500 - "6 4 2 3 1 4999.99".len() - 3);
    assert_eq!(
        row.get("c_data"),
        Some(&stored[..200]),
        "the first 200 characters are shown"
    );

    // A second payment pushes the first one to the right.
    sql::row(
        &client,
        &payment(
            "s",
            (1, 3),
            "c_w_id => 2, c_d_id => 4, c_id => 6, c_last => NULL",
            "1.00",
        ),
    )
    .await;
    let pushed = sql::value(&client, &c_data(6)).await;
    assert!(
        pushed.starts_with("6 4 2 3 1 1.00") && pushed.contains("6 4 2 3 1 4999.99"),
        "{pushed}"
    );
    assert_eq!(pushed.len(), 500);
}

#[tokio::test]
async fn by_name_the_middle_customer_is_meant() {
    let (_database, client) = setup("s").await;
    // In the order of c_first, by bytes: Alpha 3, Bravo 2, Charlie 4, Delta 1; A 7, B 8, a 6; Alone 5.
    // ceil(4/2) = 2nd, ceil(3/2) = 2nd, ceil(1/2) = 1st.
    for (name, c_id) in [
        ("BARBARBAR", "2"),
        ("ABLEABLEABLE", "8"),
        ("OUGHTOUGHTOUGHT", "5"),
    ] {
        let by_name = format!("c_w_id => 1, c_d_id => 9, c_id => NULL, c_last => '{name}'");
        assert_eq!(
            sql::row(&client, &payment("s", (1, 9), &by_name, "1.00"))
                .await
                .get("customer_id"),
            Some(c_id),
            "payment, {name}"
        );
        let status =
            format!("SELECT customer_id FROM tpcc_order_status(1, 9, NULL, '{name}', 's')");
        assert_eq!(
            sql::value(&client, &status).await,
            c_id,
            "order-status, {name}"
        );
    }
    // Two of a name: ceil(2/2) = 1st, Alpha.
    sql::run(
        &client,
        "UPDATE s.customer SET c_last = 'EINGEINGEING' WHERE c_id IN (3, 4)",
    )
    .await;
    assert_eq!(
        sql::value(
            &client,
            "SELECT customer_id FROM tpcc_order_status(1, 9, NULL, 'EINGEINGEING', 's')"
        )
        .await,
        "3"
    );
    // One of the two left: ceil(2/2) = 1st of Bravo 2 and Delta 1.
    assert_eq!(
        sql::value(
            &client,
            "SELECT customer_id FROM tpcc_order_status(1, 9, NULL, 'BARBARBAR', 's')"
        )
        .await,
        "2"
    );
    assert_eq!(
        sql::table(&client, "SELECT c_id, c_payment_cnt FROM s.customer WHERE c_w_id = 1 AND c_d_id = 9 ORDER BY c_id").await,
        [["1", "1"], ["2", "2"], ["3", "1"], ["4", "1"], ["5", "2"], ["6", "1"], ["7", "1"], ["8", "2"]]
    );
}

#[tokio::test]
async fn order_status_shows_the_newest_order_of_the_customer() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn the_reading_transactions_write_nothing_and_take_no_transaction_id() {
    let (_database, client) = setup("s").await;
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
    let unassigned = if client_major(&client).await >= 13 {
        "pg_current_xact_id_if_assigned()"
    } else {
        "txid_current_if_assigned()"
    };
    assert_eq!(
        sql::value(&client, &format!("SELECT {unassigned} IS NULL")).await,
        "t"
    );
    sql::run(&client, "COMMIT").await;
}

async fn client_major(client: &Connection) -> i64 {
    sql::number(
        client,
        "SELECT current_setting('server_version_num')::int / 10000",
    )
    .await
}

#[tokio::test]
async fn delivery_delivers_the_oldest_order_of_each_district() {
    let (_database, client) = setup("s").await;
    let before = state(&client, "s").await;
    let row = sql::row(&client, "SELECT * FROM tpcc_delivery(1, 3, 's')").await;
    assert_eq!(row.get("o_ids"), Some("{2,2,2,2,2,2,2,2,2,2}"));
    assert_eq!(row.get("skipped"), Some("0"));
    let delivery = |order: i32, carrier: i32, balance: &str, districts: &[i32]| -> Vec<String> {
        let mut lines = Vec::new();
        for d in districts {
            lines.push(format!("- new_order 1/{d}/{order}"));
            lines.push(format!(
                "orders 1/{d}/{order} o_carrier_id: NULL -> {carrier}"
            ));
            lines.extend(
                (1..=5)
                    .map(|n| format!("order_line 1/{d}/{order}/{n} ol_delivery_d: NULL -> time")),
            );
            lines.push(format!(
                "customer 1/{d}/{order} c_balance: -10.00 -> {balance}"
            ));
            lines.push(format!("customer 1/{d}/{order} c_delivery_cnt: 0 -> 1"));
        }
        lines
    };
    let all: Vec<i32> = (1..=10).collect();
    let first = state(&client, "s").await;
    // Order 2 belongs to customer 2: -10.00 + 150.15.
    expect(&before, &first, delivery(2, 3, "140.15", &all));
    assert_eq!(
        sql::table(
            &client,
            "SELECT count(DISTINCT ol_delivery_d), min(ol_delivery_d) > now() - interval '1 minute'
             FROM s.order_line WHERE ol_o_id = 2 AND ol_w_id = 1"
        )
        .await,
        [["1", "t"]]
    );

    // Districts 4 and 10 have none left: they are skipped and say so.
    sql::run(
        &client,
        "DELETE FROM s.new_order WHERE no_w_id = 1 AND no_d_id IN (4, 10)",
    )
    .await;
    let second = state(&client, "s").await;
    let row = sql::row(&client, "SELECT * FROM tpcc_delivery(1, 10, 's')").await;
    assert_eq!(row.get("o_ids"), Some("{3,3,3,NULL,3,3,3,3,3,NULL}"));
    assert_eq!(row.get("skipped"), Some("2"));
    let third = state(&client, "s").await;
    // Order 3 belongs to customer 3: -10.00 + 5 * 1.00.
    expect(
        &second,
        &third,
        delivery(3, 10, "-5.00", &[1, 2, 3, 5, 6, 7, 8, 9]),
    );

    let row = sql::row(&client, "SELECT * FROM tpcc_delivery(1, 1, 's')").await;
    assert_eq!(
        row.get("o_ids"),
        Some("{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}")
    );
    assert_eq!(row.get("skipped"), Some("10"));
    expect(&third, &state(&client, "s").await, vec![]);
}

#[tokio::test]
async fn stock_level_counts_distinct_items_of_the_last_twenty_orders() {
    let (_database, client) = setup("s").await;
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

#[tokio::test]
async fn payments_of_two_sessions_add_up() {
    let (database, first) = setup("s").await;
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

#[tokio::test]
async fn a_delivery_and_a_payment_of_the_same_customer_add_up() {
    let (database, first) = setup("s").await;
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

#[tokio::test]
async fn new_orders_of_two_sessions_take_different_numbers() {
    let (database, first) = setup("s").await;
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

#[tokio::test]
async fn two_deliveries_at_once_deliver_different_orders() {
    let (database, first) = setup("s").await;
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

#[tokio::test]
async fn all_five_work_with_foreign_keys_and_in_each_isolation_level() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create_with_foreign_keys(&client, "s").await;
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
    // Of conditions 1 to 12 only the eleventh knows how many orders a load makes.
    let broken = "SELECT count(*) FROM tpcc_check('s') WHERE NOT holds AND condition <> 11";
    assert_eq!(sql::value(&client, broken).await, "0");
}
