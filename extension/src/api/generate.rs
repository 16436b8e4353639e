//! The population as row sources: a function a table, over the same rows as the load.
//!
//! Their SQL, with the columns, is in `sql/generators.sql`.

use pgrx::prelude::*;
use workload::tpcc::Population;

use crate::pg::error::{Result, ServerError, SqlState, or_raise};
use crate::pg::rows::{Call, RowSet, hand_over};

pgrx::extension_sql_file!("../../../sql/generators.sql", name = "generators");

fn check_warehouse(w_id: i32) -> Result<i32> {
    if w_id >= 1 {
        return Ok(w_id);
    }
    Err(ServerError::new(
        SqlState::INVALID_VALUE,
        format!(
            "w_id is {w_id}, but warehouses are numbered from 1 to {}",
            i32::MAX
        ),
    ))
}

/// The 100,000 rows of item (clause 4.3.3.1), the same for every warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_item(seed: i64, call: Call) -> RowSet {
    or_raise(hand_over(call, Population::new(seed).items()))
}

/// The row of a warehouse.
///
/// # Errors
/// 22023 for a `w_id` below 1, as all of these functions.
#[pg_extern(sql = false)]
fn tpcc_gen_warehouse(w_id: i32, seed: i64, call: Call) -> RowSet {
    or_raise(
        check_warehouse(w_id).and_then(|w_id| {
            hand_over(call, std::iter::once(Population::new(seed).warehouse(w_id)))
        }),
    )
}

/// The ten districts of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_district(w_id: i32, seed: i64, call: Call) -> RowSet {
    or_raise(
        check_warehouse(w_id)
            .and_then(|w_id| hand_over(call, Population::new(seed).districts(w_id))),
    )
}

/// The 30,000 customers of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_customer(w_id: i32, seed: i64, call: Call) -> RowSet {
    or_raise(
        check_warehouse(w_id)
            .and_then(|w_id| hand_over(call, Population::new(seed).customers(w_id))),
    )
}

/// The 30,000 history rows of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_history(w_id: i32, seed: i64, call: Call) -> RowSet {
    or_raise(
        check_warehouse(w_id).and_then(|w_id| hand_over(call, Population::new(seed).history(w_id))),
    )
}

/// The 30,000 orders of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_orders(w_id: i32, seed: i64, call: Call) -> RowSet {
    or_raise(
        check_warehouse(w_id).and_then(|w_id| hand_over(call, Population::new(seed).orders(w_id))),
    )
}

/// The 9,000 orders of a warehouse that are not delivered yet.
#[pg_extern(sql = false)]
fn tpcc_gen_new_order(w_id: i32, seed: i64, call: Call) -> RowSet {
    or_raise(
        check_warehouse(w_id)
            .and_then(|w_id| hand_over(call, Population::new(seed).new_orders(w_id))),
    )
}

/// The order lines of a warehouse, 300,000 on average.
#[pg_extern(sql = false)]
fn tpcc_gen_order_line(w_id: i32, seed: i64, call: Call) -> RowSet {
    or_raise(
        check_warehouse(w_id)
            .and_then(|w_id| hand_over(call, Population::new(seed).order_lines(w_id))),
    )
}

/// The 100,000 stock rows of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_stock(w_id: i32, seed: i64, call: Call) -> RowSet {
    or_raise(
        check_warehouse(w_id).and_then(|w_id| hand_over(call, Population::new(seed).stock(w_id))),
    )
}
