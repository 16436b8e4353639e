//! How messages name the rows that were looked for.

use workload::tpcc::CustomerSelector;

pub(in crate::driver::mode) fn warehouse(w_id: i32) -> String {
    format!("warehouse {w_id}")
}

pub(in crate::driver::mode) fn district(d_id: i32, w_id: i32) -> String {
    format!("district {d_id} of warehouse {w_id}")
}

pub(in crate::driver::mode) fn customer(
    selector: &CustomerSelector,
    d_id: i32,
    w_id: i32,
) -> String {
    let who = match selector {
        CustomerSelector::ById(c_id) => format!("customer {c_id}"),
        CustomerSelector::ByLastName(name) => format!("a customer named {name}"),
    };
    format!("{who} of {}", district(d_id, w_id))
}

pub(in crate::driver::mode) fn order(o_id: i32, d_id: i32, w_id: i32) -> String {
    format!("order {o_id} of {}", district(d_id, w_id))
}

pub(in crate::driver::mode) fn stock(i_id: i32, w_id: i32) -> String {
    format!("stock of item {i_id} of warehouse {w_id}")
}

pub(in crate::driver::mode) fn line(order: &str) -> String {
    format!("a line of {order}")
}
