//! The five transactions (clauses 2.4 to 2.8) against values computed by hand, on the small schema of `tests::small`:
//! what each one changes in all nine tables, and what it returns. Each test runs for both flavours of the functions.

mod delivery;
mod new_order;
mod payment;
mod reading;
mod together;

use tests::flavour::small_schema;
use tests::small::{self, assert_difference};
use tests::{Connection, Database};
use workload::result::Flavour;

/// A small schema of the test's own, with the functions of the flavour.
async fn setup(flavour: Flavour, schema: &str) -> (Database<'static>, Connection) {
    small_schema(flavour, schema).await
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
