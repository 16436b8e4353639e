//! Delivery (clause 2.7).

use tests::small::state;
use tests::{both_flavours, sql};
use workload::result::Flavour;

use crate::{expect, setup};

both_flavours!(delivery_delivers_the_oldest_order_of_each_district,);

async fn delivery_delivers_the_oldest_order_of_each_district(flavour: Flavour) {
    let (_database, client) = setup(flavour, "s").await;
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
