//! The population as row sources: a function a table, over the same rows as the load.
//!
//! Their SQL, with the columns, is in `sql/generators.sql`.

use pgrx::prelude::*;
use workload::tpcc::{Population, Row};

use super::arguments::in_range;
use crate::pg::error::edge;
use crate::pg::rows::{Call, RowSet, hand_over};

pgrx::extension_sql_file!("../../../sql/generators.sql", name = "generators");

/// The rows of one warehouse.
fn of_warehouse<R: Row, I: Iterator<Item = R>>(
    w_id: i32,
    seed: i64,
    call: Call,
    rows: impl FnOnce(&Population, i32) -> I,
) -> RowSet {
    edge(|| {
        let w_id = in_range("warehouse", Some(w_id), 1..=i32::MAX)?;
        hand_over(call, rows(&Population::new(seed), w_id))
    })
}

/// The 100,000 rows of item (clause 4.3.3.1), the same for every warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_item(seed: i64, call: Call) -> RowSet {
    edge(|| hand_over(call, Population::new(seed).items()))
}

/// The row of a warehouse.
///
/// # Errors
/// 22023 for a warehouse below 1, as all of these functions.
#[pg_extern(sql = false)]
fn tpcc_gen_warehouse(w_id: i32, seed: i64, call: Call) -> RowSet {
    of_warehouse(w_id, seed, call, |population, w_id| {
        std::iter::once(population.warehouse(w_id))
    })
}

/// The ten districts of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_district(w_id: i32, seed: i64, call: Call) -> RowSet {
    of_warehouse(w_id, seed, call, |population, w_id| {
        population.districts(w_id)
    })
}

/// The 30,000 customers of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_customer(w_id: i32, seed: i64, call: Call) -> RowSet {
    of_warehouse(w_id, seed, call, |population, w_id| {
        population.customers(w_id)
    })
}

/// The 30,000 history rows of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_history(w_id: i32, seed: i64, call: Call) -> RowSet {
    of_warehouse(w_id, seed, call, |population, w_id| {
        population.history(w_id)
    })
}

/// The 30,000 orders of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_orders(w_id: i32, seed: i64, call: Call) -> RowSet {
    of_warehouse(w_id, seed, call, |population, w_id| population.orders(w_id))
}

/// The 9,000 orders of a warehouse that are not delivered yet.
#[pg_extern(sql = false)]
fn tpcc_gen_new_order(w_id: i32, seed: i64, call: Call) -> RowSet {
    of_warehouse(w_id, seed, call, |population, w_id| {
        population.new_orders(w_id)
    })
}

/// The order lines of a warehouse, 300,000 on average.
#[pg_extern(sql = false)]
fn tpcc_gen_order_line(w_id: i32, seed: i64, call: Call) -> RowSet {
    of_warehouse(w_id, seed, call, |population, w_id| {
        population.order_lines(w_id)
    })
}

/// The 100,000 stock rows of a warehouse.
#[pg_extern(sql = false)]
fn tpcc_gen_stock(w_id: i32, seed: i64, call: Call) -> RowSet {
    of_warehouse(w_id, seed, call, |population, w_id| population.stock(w_id))
}
