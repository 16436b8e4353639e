//! Every column of every table.

use tests::sql;

use crate::connect;
use crate::expect::{addresses, chi_square, differing, none, original, share, uniform};

#[tokio::test]
async fn item() {
    let client = connect().await;
    let sizes = "SELECT count(*), count(DISTINCT i_id), min(i_id), max(i_id), count(DISTINCT i_data) FROM tpcc.item";
    assert_eq!(
        sql::table(&client, sizes).await,
        [["100000", "100000", "1", "100000", "100000"]]
    );
    uniform(&client, "i_im_id", "tpcc.item", 1, 10_000).await;
    uniform(&client, "i_price * 100", "tpcc.item", 100, 10_000).await;
    uniform(&client, "length(i_name)", "tpcc.item", 14, 24).await;
    uniform(&client, "length(i_data)", "tpcc.item", 26, 50).await;
    none(
        &client,
        "tpcc.item",
        "i_name !~ '^[0-9A-Za-z]+$' OR i_data !~ '^[0-9A-Za-z]+$'",
    )
    .await;
    original(&client, "tpcc.item", "i_data").await;
}

#[tokio::test]
async fn warehouse_and_district() {
    let client = connect().await;
    assert_eq!(
        sql::value(
            &client,
            "SELECT array_agg(w_id ORDER BY w_id) FROM tpcc.warehouse"
        )
        .await,
        "{1,2}"
    );
    none(
        &client,
        "tpcc.warehouse",
        "length(w_name) NOT BETWEEN 6 AND 10 OR w_name !~ '^[0-9A-Za-z]+$'",
    )
    .await;
    none(
        &client,
        "tpcc.warehouse",
        "w_tax NOT BETWEEN 0 AND 0.2 OR w_ytd <> 300000",
    )
    .await;
    addresses(&client, "warehouse", "w").await;
    let keys = "SELECT d_w_id, count(*), count(DISTINCT d_id), min(d_id), max(d_id) FROM tpcc.district GROUP BY d_w_id ORDER BY 1";
    assert_eq!(
        sql::table(&client, keys).await,
        [["1", "10", "10", "1", "10"], ["2", "10", "10", "1", "10"]]
    );
    none(
        &client,
        "tpcc.district",
        "length(d_name) NOT BETWEEN 6 AND 10 OR d_name !~ '^[0-9A-Za-z]+$'",
    )
    .await;
    none(
        &client,
        "tpcc.district",
        "d_tax NOT BETWEEN 0 AND 0.2 OR d_ytd <> 30000 OR d_next_o_id <> 3001",
    )
    .await;
    addresses(&client, "district", "d").await;
    let different = "SELECT count(DISTINCT d_tax) > 15, count(DISTINCT d_name) = 20, count(DISTINCT d_street_1) = 20 FROM tpcc.district";
    assert_eq!(sql::table(&client, different).await, [["t", "t", "t"]]);

    // Two rows say nothing of a distribution; the generator makes as many as it takes.
    let many = "generate_series(1, 3000) AS w, LATERAL tpcc_gen_warehouse(w, 7)";
    uniform(&client, "w_tax * 10000", many, 0, 2000).await;
    uniform(&client, "length(w_name)", many, 6, 10).await;
    uniform(&client, "length(w_street_1)", many, 10, 20).await;
    uniform(&client, "length(w_city)", many, 10, 20).await;
    uniform(&client, "left(w_zip, 4)", many, 0, 9999).await;
    uniform(&client, "ascii(left(w_state, 1))", many, 65, 90).await;
    let many = "generate_series(1, 300) AS w, LATERAL tpcc_gen_district(w, 7)";
    uniform(&client, "d_tax * 10000", many, 0, 2000).await;
    uniform(&client, "length(d_name)", many, 6, 10).await;
}

#[tokio::test]
async fn customer() {
    let client = connect().await;
    let keys = "SELECT count(*) = 60000 AND count(DISTINCT (c_w_id, c_d_id, c_id)) = 60000 AND min(c_id) = 1 AND max(c_id) = 3000
                   AND min(c_w_id) = 1 AND max(c_w_id) = 2 AND min(c_d_id) = 1 AND max(c_d_id) = 10 FROM tpcc.customer";
    assert_eq!(sql::value(&client, keys).await, "t");
    none(
        &client,
        "tpcc.customer",
        "c_middle <> 'OE' OR c_credit NOT IN ('GC', 'BC') OR c_credit_lim <> 50000 OR c_balance <> -10 OR c_ytd_payment <> 10
         OR c_payment_cnt <> 1 OR c_delivery_cnt <> 0 OR c_phone !~ '^[0-9]{16}$' OR c_since IS NULL",
    )
    .await;
    none(
        &client,
        "tpcc.customer",
        "c_first !~ '^[0-9A-Za-z]{8,16}$' OR length(c_data) NOT BETWEEN 300 AND 500 OR c_data !~ '^[0-9A-Za-z]+$'",
    )
    .await;
    uniform(&client, "length(c_first)", "tpcc.customer", 8, 16).await;
    uniform(&client, "length(c_data)", "tpcc.customer", 300, 500).await;
    uniform(&client, "c_discount * 10000", "tpcc.customer", 0, 5000).await;
    uniform(&client, "right(c_phone, 4)", "tpcc.customer", 0, 9999).await;
    uniform(&client, "left(c_zip, 4)", "tpcc.customer", 0, 9999).await;
    share(&client, "tpcc.customer", "c_credit = 'BC'", 0.1).await;
    addresses(&client, "customer", "c").await;
    // Real randomness does not compress: a text of 300 letters has nearly all 62 of them, and no two are alike.
    assert_eq!(
        sql::value(&client, "SELECT count(DISTINCT c_data) FROM tpcc.customer").await,
        "60000"
    );
    let letters = "SELECT min(n) > 45 FROM (SELECT count(DISTINCT letter) AS n FROM tpcc.customer,
        regexp_split_to_table(c_data, '') AS letter WHERE c_w_id = 2 AND c_d_id = 3 AND c_id <= 300 GROUP BY c_id) AS of_rows";
    assert_eq!(sql::value(&client, letters).await, "t");
    let letters = "(SELECT strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', letter) AS n FROM tpcc.customer,
        regexp_split_to_table(c_data, '') AS letter WHERE c_w_id = 1 AND c_d_id = 7 AND c_id <= 300) AS letters";
    uniform(&client, "n", letters, 1, 62).await;
}

const SYLLABLES: [&str; 10] = [
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING",
];

fn last_name(number: usize) -> String {
    [number / 100, number / 10 % 10, number % 10]
        .map(|digit| SYLLABLES[digit])
        .concat()
}

/// Clause 4.3.2.3: the first thousand of a district in order, the others by NURand(255, 0, 999) with C-load.
#[tokio::test]
async fn last_names() {
    let client = connect().await;
    let first = "SELECT c_id, min(c_last), count(DISTINCT c_last) FROM tpcc.customer WHERE c_id <= 1000 GROUP BY c_id ORDER BY c_id";
    for (number, row) in sql::table(&client, first).await.iter().enumerate() {
        assert_eq!(
            row[1..],
            [last_name(number), "1".to_owned()],
            "customer {}",
            row[0]
        );
    }
    let c_load = sql::number(&client, "SELECT c_last_load FROM tpcc.tpcc_scale").await as usize;
    assert!(c_load <= 255);
    let mut expected = vec![0.0; 1000];
    for a in 0..=255 {
        for b in 0..=999 {
            expected[((a | b) + c_load) % 1000] += 40_000.0 / 256_000.0;
        }
    }
    let mut found = vec![0.0; 1000];
    let names: std::collections::HashMap<String, usize> =
        (0..1000).map(|n| (last_name(n), n)).collect();
    for row in sql::table(
        &client,
        "SELECT c_last, count(*) FROM tpcc.customer WHERE c_id > 1000 GROUP BY 1",
    )
    .await
    {
        found[names[&row[0]]] = row[1].parse().unwrap();
    }
    // Rare names together, so that every class is large enough for the test.
    let classes = |counts: &[f64]| {
        let rare: f64 = counts
            .iter()
            .zip(&expected)
            .filter(|(_, e)| **e < 8.0)
            .map(|(n, _)| n)
            .sum();
        let common = counts
            .iter()
            .zip(&expected)
            .filter(|(_, e)| **e >= 8.0)
            .map(|(n, _)| *n);
        common
            .chain([rare].into_iter().filter(|n| *n > 0.0))
            .collect::<Vec<f64>>()
    };
    chi_square(
        "last names against NURand(255, 0, 999)",
        &classes(&found),
        &classes(&expected),
    );
}

#[tokio::test]
async fn history() {
    let client = connect().await;
    let keys = "SELECT count(*), count(DISTINCT (h_c_w_id, h_c_d_id, h_c_id)) FROM tpcc.history JOIN tpcc.customer
        ON c_w_id = h_c_w_id AND c_d_id = h_c_d_id AND c_id = h_c_id";
    assert_eq!(sql::table(&client, keys).await, [["60000", "60000"]]);
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc.history").await,
        "60000"
    );
    none(&client, "tpcc.history", "h_w_id <> h_c_w_id OR h_d_id <> h_c_d_id OR h_amount <> 10 OR h_data !~ '^[0-9A-Za-z]{12,24}$'").await;
    uniform(&client, "length(h_data)", "tpcc.history", 12, 24).await;
}

#[tokio::test]
async fn orders_and_new_order() {
    let client = connect().await;
    let permutation = "SELECT count(*) = 20, bool_and(n = 3000 AND orders = 3000 AND customers = 3000 AND first = 1 AND last = 3000)
        FROM (SELECT count(*) AS n, count(DISTINCT o_id) AS orders, count(DISTINCT o_c_id) AS customers, min(o_c_id) AS first, max(o_c_id) AS last
              FROM tpcc.orders GROUP BY o_w_id, o_d_id) AS districts";
    assert_eq!(sql::table(&client, permutation).await, [["t", "t"]]);
    // Each district has a permutation of its own: two agree by chance in one place.
    let same = "SELECT max(n) FROM (SELECT count(*) AS n FROM tpcc.orders AS a JOIN tpcc.orders AS b USING (o_id, o_c_id)
        WHERE (a.o_w_id, a.o_d_id) < (b.o_w_id, b.o_d_id) GROUP BY a.o_w_id, a.o_d_id, b.o_w_id, b.o_d_id) AS pairs";
    assert!(sql::number(&client, same).await < 12);
    share(
        &client,
        "tpcc.orders WHERE o_c_id <= 1500",
        "o_id <= 1500",
        0.5,
    )
    .await;
    uniform(
        &client,
        "(o_c_id - o_id + 3000) % 3000",
        "tpcc.orders",
        0,
        2999,
    )
    .await;

    none(
        &client,
        "tpcc.orders",
        "(o_carrier_id IS NULL) <> (o_id > 2100) OR o_all_local <> 1 OR o_entry_d IS NULL",
    )
    .await;
    uniform(
        &client,
        "o_carrier_id",
        "tpcc.orders WHERE o_id < 2101",
        1,
        10,
    )
    .await;
    uniform(&client, "o_ol_cnt", "tpcc.orders", 5, 15).await;
    let undelivered = "SELECT no_w_id, no_d_id, no_o_id FROM tpcc.new_order";
    let expected = "SELECT w, d, o FROM generate_series(1, 2) AS w, generate_series(1, 10) AS d, generate_series(2101, 3000) AS o";
    assert_eq!(differing(&client, undelivered, expected).await, 0);
}

#[tokio::test]
async fn order_line() {
    let client = connect().await;
    let lines = "SELECT ol_w_id, ol_d_id, ol_o_id, ol_number FROM tpcc.order_line";
    let expected =
        "SELECT o_w_id, o_d_id, o_id, n FROM tpcc.orders, generate_series(1, o_ol_cnt) AS n";
    assert_eq!(differing(&client, lines, expected).await, 0);
    none(
        &client,
        "tpcc.order_line",
        "ol_supply_w_id <> ol_w_id OR ol_quantity <> 5 OR ol_dist_info !~ '^[0-9A-Za-z]{24}$'",
    )
    .await;
    none(
        &client,
        "tpcc.order_line JOIN tpcc.orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id",
        "CASE WHEN o_id < 2101 THEN ol_delivery_d IS DISTINCT FROM o_entry_d OR ol_amount <> 0 ELSE ol_delivery_d IS NOT NULL END",
    )
    .await;
    uniform(&client, "ol_i_id", "tpcc.order_line", 1, 100_000).await;
    uniform(
        &client,
        "ol_amount * 100",
        "tpcc.order_line WHERE ol_o_id >= 2101",
        1,
        999_999,
    )
    .await;
}

#[tokio::test]
async fn stock() {
    let client = connect().await;
    let keys = "SELECT s_w_id, count(*), count(DISTINCT s_i_id), min(s_i_id), max(s_i_id) FROM tpcc.stock GROUP BY s_w_id ORDER BY 1";
    assert_eq!(
        sql::table(&client, keys).await,
        [
            ["1", "100000", "100000", "1", "100000"],
            ["2", "100000", "100000", "1", "100000"]
        ]
    );
    uniform(&client, "s_quantity", "tpcc.stock", 10, 100).await;
    uniform(&client, "length(s_data)", "tpcc.stock", 26, 50).await;
    none(
        &client,
        "tpcc.stock",
        "s_ytd <> 0 OR s_order_cnt <> 0 OR s_remote_cnt <> 0 OR s_data !~ '^[0-9A-Za-z]+$'",
    )
    .await;
    for district in 1..=10 {
        none(
            &client,
            "tpcc.stock",
            &format!("s_dist_{district:02} !~ '^[0-9A-Za-z]{{24}}$'"),
        )
        .await;
    }
    let different = "SELECT count(DISTINCT info) = 10 * count(DISTINCT s_i_id) FROM tpcc.stock,
        unnest(ARRAY[s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10]) AS info
        WHERE s_w_id = 2 AND s_i_id <= 10000";
    assert_eq!(sql::value(&client, different).await, "t");
    original(&client, "tpcc.stock", "s_data").await;
    // The warehouses are not copies of each other.
    share(
        &client,
        "tpcc.stock AS a JOIN tpcc.stock AS b USING (s_i_id) WHERE a.s_w_id = 1 AND b.s_w_id = 2",
        "a.s_quantity = b.s_quantity",
        1.0 / 91.0,
    )
    .await;
}
