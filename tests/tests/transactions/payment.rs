//! Payment (clause 2.5), and customers by name (2.5.2.2, 2.6.2.2).

use tests::small::{assert_difference, state};
use tests::{both_flavours, sql};
use workload::result::Flavour;

use crate::{payment, setup};

both_flavours!(
    payment_by_id_for_a_customer_of_another_warehouse,
    payment_of_a_bad_credit_customer_writes_his_history_into_c_data,
    by_name_the_middle_customer_is_meant,
);

async fn payment_by_id_for_a_customer_of_another_warehouse(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
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

async fn payment_of_a_bad_credit_customer_writes_his_history_into_c_data(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
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

async fn by_name_the_middle_customer_is_meant(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
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
