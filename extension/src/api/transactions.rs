//! The five transactions as SQL functions: one row a call, lines as arrays, and the microseconds
//! that the call spent in the server.

use std::time::Instant;

use pgrx::datum::{AnyNumeric, TimestampWithTimeZone};
use pgrx::prelude::*;
use workload::tpcc::{
    CUSTOMERS_PER_DISTRICT, Cents, CustomerSelector, DISTRICTS_PER_WAREHOUSE, DeliveryInput,
    MAX_ORDER_LINES, MIN_ORDER_LINES, NewOrderInput, OrderLineInput, OrderStatusInput,
    PaymentInput, StockLevelInput, Text,
};

use super::arguments::{elements, in_range, required};
use crate::pg::clock;
use crate::pg::error::{Result, ServerError, SqlState, edge};
use crate::pg::numeric::Decimal;
use crate::txn::{NewOrderOutput, OnUnusedItem, Session};

/// The text that the terminal shows for an order with an unused item (clause 2.4.3.4).
const ITEM_NOT_VALID: &str = "Item number is not valid";

fn microseconds_since(start: Instant) -> i64 {
    start.elapsed().as_micros() as i64
}

fn warehouse(name: &str, value: Option<i32>) -> Result<i32> {
    in_range(name, value, 1..=i32::MAX)
}

fn district(name: &str, value: Option<i32>) -> Result<i32> {
    in_range(name, value, 1..=DISTRICTS_PER_WAREHOUSE)
}

fn session(schema: Option<&str>) -> Result<Session> {
    Session::open(required("schema", schema)?)
}

/// By number or by last name: exactly one is given (clauses 2.5.1.2, 2.6.1.2).
fn customer(c_id: Option<i32>, c_last: Option<&str>) -> Result<CustomerSelector> {
    match (c_id, c_last) {
        (Some(_), None) => Ok(CustomerSelector::ById(in_range(
            "c_id",
            c_id,
            1..=CUSTOMERS_PER_DISTRICT,
        )?)),
        (None, Some(name)) => Text::new(name.as_bytes())
            .map(CustomerSelector::ByLastName)
            .map_err(|_| {
                ServerError::new(
                    SqlState::INVALID_VALUE,
                    format!(
                        "c_last has {} bytes: a last name has at most 16",
                        name.len()
                    ),
                )
            }),
        (None, None) => Err(ServerError::new(
            SqlState::NULL_VALUE,
            "c_id and c_last are both NULL: the customer's number or last name was expected",
        )),
        (Some(c_id), Some(c_last)) => Err(ServerError::new(
            SqlState::INVALID_VALUE,
            format!(
                "c_id is {c_id} and c_last is \"{c_last}\": one of them was expected, the other NULL"
            ),
        )),
    }
}

fn new_order_input(
    w_id: Option<i32>,
    d_id: Option<i32>,
    c_id: Option<i32>,
    item_ids: Option<Vec<Option<i32>>>,
    supply_w_ids: Option<Vec<Option<i32>>>,
    quantities: Option<Vec<Option<i32>>>,
) -> Result<NewOrderInput> {
    let item_ids = elements("item_ids", item_ids)?;
    let supply_w_ids = elements("supply_w_ids", supply_w_ids)?;
    let quantities = elements("quantities", quantities)?;
    in_range(
        "the number of item_ids",
        Some(item_ids.len() as i32),
        MIN_ORDER_LINES..=MAX_ORDER_LINES,
    )?;
    for (name, length) in [
        ("supply_w_ids", supply_w_ids.len()),
        ("quantities", quantities.len()),
    ] {
        if length != item_ids.len() {
            return Err(ServerError::new(
                SqlState::INVALID_VALUE,
                format!(
                    "{name} has {length} elements and item_ids has {}: one a line was expected",
                    item_ids.len()
                ),
            ));
        }
    }
    let mut lines = Vec::with_capacity(item_ids.len());
    for (i, i_id) in item_ids.into_iter().enumerate() {
        lines.push(OrderLineInput {
            i_id,
            supply_w_id: warehouse(&format!("supply_w_ids[{}]", i + 1), Some(supply_w_ids[i]))?,
            quantity: in_range(
                &format!("quantities[{}]", i + 1),
                Some(quantities[i]),
                1..=10,
            )?,
        });
    }
    Ok(NewOrderInput {
        w_id: warehouse("w_id", w_id)?,
        d_id: district("d_id", d_id)?,
        c_id: in_range("c_id", c_id, 1..=CUSTOMERS_PER_DISTRICT)?,
        lines,
    })
}

fn unused_item(input: &NewOrderInput, output: &NewOrderOutput) -> ServerError {
    let unused: Vec<String> = output
        .lines
        .iter()
        .zip(&input.lines)
        .filter(|(line, _)| line.i_name.is_none())
        .map(|(_, line)| line.i_id.to_string())
        .collect();
    ServerError::new(SqlState::UNUSED_ITEM, ITEM_NOT_VALID).detail(format!(
        "No item has the number {}; the order is rolled back.",
        unused.join(", ")
    ))
}

/// New-Order (clause 2.4): enters an order of 5 to 15 lines.
///
/// Returns what the terminal shows (clause 2.4.3.3): one element a line in the arrays, NULL for
/// an unused item; `server_us` in microseconds. An unused item makes the call fail with TC001
/// after it has done the order's work; with `report_rollback` the work is undone here and the
/// row says so in `status`, for drivers that stop at an error.
///
/// Errors: TC001, TC002 (no such customer or warehouse), 22004, 22023, 3F000, TC003.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity, clippy::too_many_arguments)]
fn tpcc_new_order(
    w_id: Option<i32>,
    d_id: Option<i32>,
    c_id: Option<i32>,
    item_ids: Option<Vec<Option<i32>>>,
    supply_w_ids: Option<Vec<Option<i32>>>,
    quantities: Option<Vec<Option<i32>>>,
    schema: default!(Option<&str>, "'tpcc'"),
    report_rollback: default!(Option<bool>, "false"),
) -> TableIterator<
    'static,
    (
        name!(o_id, i32),
        name!(o_entry_d, TimestampWithTimeZone),
        name!(o_ol_cnt, i32),
        name!(c_last, String),
        name!(c_credit, String),
        name!(c_discount, Decimal),
        name!(w_tax, Decimal),
        name!(d_tax, Decimal),
        name!(total_amount, Decimal),
        name!(status, String),
        name!(i_names, Vec<Option<String>>),
        name!(s_quantities, Vec<Option<i32>>),
        name!(brand_generic, Vec<Option<String>>),
        name!(i_prices, Vec<Option<Decimal>>),
        name!(ol_amounts, Vec<Option<Decimal>>),
        name!(server_us, i64),
    ),
> {
    let start = Instant::now();
    let (input, output) = edge(|| {
        let report = required("report_rollback", report_rollback)?;
        let input = new_order_input(w_id, d_id, c_id, item_ids, supply_w_ids, quantities)?;
        let unused = if report {
            OnUnusedItem::RollBackHere
        } else {
            OnUnusedItem::LeaveToCaller
        };
        let output = session(schema)?.new_order(&input, unused)?;
        if output.rolled_back && !report {
            return Err(unused_item(&input, &output));
        }
        Ok((input, output))
    });
    // One value a line, NULL for an unused item.
    macro_rules! of_lines {
        (|$line:ident| $value:expr) => {
            output
                .lines
                .iter()
                .map(|$line| $line.i_name.as_ref().map(|_| $value))
                .collect()
        };
    }
    TableIterator::once((
        output.o_id,
        clock::timestamptz(output.o_entry_d),
        input.lines.len() as i32,
        output.c_last,
        output.c_credit,
        Decimal::rate(output.c_discount),
        Decimal::rate(output.w_tax),
        Decimal::rate(output.d_tax),
        Decimal::cents(output.total_amount),
        if output.rolled_back {
            ITEM_NOT_VALID
        } else {
            ""
        }
        .to_owned(),
        output
            .lines
            .iter()
            .map(|line| line.i_name.clone())
            .collect(),
        of_lines!(|line| i32::from(line.s_quantity)),
        of_lines!(|line| line.brand_generic.to_string()),
        of_lines!(|line| Decimal::cents(line.i_price)),
        of_lines!(|line| Decimal::cents(line.ol_amount)),
        microseconds_since(start),
    ))
}

/// Payment (clause 2.5): takes `amount` (1.00 to 5000.00) from a customer told by `c_id` or by
/// `c_last`; of several with that name, the middle one by first name.
///
/// Returns what the terminal shows (clause 2.5.3.4); `c_data` (200 characters) only where the
/// credit is bad; `server_us` in microseconds.
///
/// Errors: TC002 (no such customer, district or warehouse), 22004, 22023, 3F000, TC003.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity, clippy::too_many_arguments)]
fn tpcc_payment(
    w_id: Option<i32>,
    d_id: Option<i32>,
    c_w_id: Option<i32>,
    c_d_id: Option<i32>,
    c_id: Option<i32>,
    c_last: Option<&str>,
    amount: Option<AnyNumeric>,
    schema: default!(Option<&str>, "'tpcc'"),
) -> TableIterator<
    'static,
    (
        name!(customer_id, i32),
        name!(w_street_1, String),
        name!(w_street_2, String),
        name!(w_city, String),
        name!(w_state, String),
        name!(w_zip, String),
        name!(d_street_1, String),
        name!(d_street_2, String),
        name!(d_city, String),
        name!(d_state, String),
        name!(d_zip, String),
        name!(c_first, String),
        name!(c_middle, String),
        name!(customer_last, String),
        name!(c_street_1, String),
        name!(c_street_2, String),
        name!(c_city, String),
        name!(c_state, String),
        name!(c_zip, String),
        name!(c_phone, String),
        name!(c_since, TimestampWithTimeZone),
        name!(c_credit, String),
        name!(c_credit_lim, Decimal),
        name!(c_discount, Decimal),
        name!(c_balance, Decimal),
        name!(c_data, Option<String>),
        name!(h_amount, Decimal),
        name!(h_date, TimestampWithTimeZone),
        name!(server_us, i64),
    ),
> {
    let start = Instant::now();
    let (input, output) = edge(|| {
        let input = PaymentInput {
            w_id: warehouse("w_id", w_id)?,
            d_id: district("d_id", d_id)?,
            c_w_id: warehouse("c_w_id", c_w_id)?,
            c_d_id: district("c_d_id", c_d_id)?,
            customer: customer(c_id, c_last)?,
            amount: payment_amount(amount)?,
        };
        let output = session(schema)?.payment(&input)?;
        Ok((input, output))
    });
    let (w, d, c) = (output.warehouse, output.district, output.customer);
    TableIterator::once((
        output.c_id,
        w.street_1,
        w.street_2,
        w.city,
        w.state,
        w.zip,
        d.street_1,
        d.street_2,
        d.city,
        d.state,
        d.zip,
        output.c_first,
        output.c_middle,
        output.c_last,
        c.street_1,
        c.street_2,
        c.city,
        c.state,
        c.zip,
        output.c_phone,
        clock::timestamptz(output.c_since),
        output.c_credit,
        Decimal::cents(output.c_credit_lim),
        Decimal::rate(output.c_discount),
        Decimal::cents(output.c_balance),
        output.c_data,
        Decimal::cents(input.amount.0),
        clock::timestamptz(output.h_date),
        microseconds_since(start),
    ))
}

/// 1.00 to 5000.00 in whole cents (clause 2.5.1.3).
fn payment_amount(amount: Option<AnyNumeric>) -> Result<Cents> {
    let amount = required("amount", amount)?;
    match Decimal::of(amount.clone()) {
        Some(Decimal { unscaled, .. })
            if (1_0000..=5000_0000).contains(&unscaled) && unscaled % 100 == 0 =>
        {
            Ok(Cents(unscaled / 100))
        }
        _ => Err(ServerError::new(
            SqlState::INVALID_VALUE,
            format!("amount is {amount}: 1.00 to 5000.00 in whole cents was expected"),
        )),
    }
}

/// Order-Status (clause 2.6): a customer, told by `c_id` or `c_last`, and its newest order.
///
/// Returns what the terminal shows (clause 2.6.3.3), one element a line in the arrays;
/// `server_us` in microseconds. Reads only, and assigns no transaction id.
///
/// Errors: TC002 (no such customer), 22004, 22023, 3F000, TC003.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn tpcc_order_status(
    w_id: Option<i32>,
    d_id: Option<i32>,
    c_id: Option<i32>,
    c_last: Option<&str>,
    schema: default!(Option<&str>, "'tpcc'"),
) -> TableIterator<
    'static,
    (
        name!(customer_id, i32),
        name!(c_first, String),
        name!(c_middle, String),
        name!(customer_last, String),
        name!(c_balance, Decimal),
        name!(o_id, i32),
        name!(o_entry_d, TimestampWithTimeZone),
        name!(o_carrier_id, Option<i32>),
        name!(ol_supply_w_ids, Vec<i32>),
        name!(ol_i_ids, Vec<i32>),
        name!(ol_quantities, Vec<i32>),
        name!(ol_amounts, Vec<Decimal>),
        name!(ol_delivery_ds, Vec<Option<TimestampWithTimeZone>>),
        name!(server_us, i64),
    ),
> {
    let start = Instant::now();
    let output = edge(|| {
        let input = OrderStatusInput {
            w_id: warehouse("w_id", w_id)?,
            d_id: district("d_id", d_id)?,
            customer: customer(c_id, c_last)?,
        };
        session(schema)?.order_status(&input)
    });
    TableIterator::once((
        output.c_id,
        output.c_first,
        output.c_middle,
        output.c_last,
        Decimal::cents(output.c_balance),
        output.o_id,
        clock::timestamptz(output.o_entry_d),
        output.o_carrier_id.map(i32::from),
        output.lines.iter().map(|line| line.supply_w_id).collect(),
        output.lines.iter().map(|line| line.i_id).collect(),
        output
            .lines
            .iter()
            .map(|line| i32::from(line.quantity))
            .collect(),
        output
            .lines
            .iter()
            .map(|line| Decimal::cents(line.amount))
            .collect(),
        output
            .lines
            .iter()
            .map(|line| line.delivery_d.map(clock::timestamptz))
            .collect(),
        microseconds_since(start),
    ))
}

/// Delivery (clause 2.7): delivers the oldest order of each district of a warehouse.
///
/// `o_ids` has an element a district, NULL where there was nothing to deliver; `skipped` counts
/// those; `server_us` in microseconds.
///
/// Errors: TC002 (no such warehouse), 22004, 22023, 3F000, TC003.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn tpcc_delivery(
    w_id: Option<i32>,
    carrier_id: Option<i32>,
    schema: default!(Option<&str>, "'tpcc'"),
) -> TableIterator<
    'static,
    (
        name!(o_ids, Vec<Option<i32>>),
        name!(skipped, i32),
        name!(server_us, i64),
    ),
> {
    let start = Instant::now();
    let output = edge(|| {
        let input = DeliveryInput {
            w_id: warehouse("w_id", w_id)?,
            carrier_id: in_range("carrier_id", carrier_id, 1..=10)?,
        };
        session(schema)?.delivery(&input)
    });
    TableIterator::once((
        output.o_ids.to_vec(),
        output.skipped() as i32,
        microseconds_since(start),
    ))
}

/// Stock-Level (clause 2.8): distinct items of the district's last 20 orders whose stock is below
/// `threshold` (10 to 20).
///
/// `server_us` in microseconds. Reads only, and assigns no transaction id.
///
/// Errors: TC002 (no such district), 22004, 22023, 3F000, TC003.
#[pg_extern(volatile, parallel_unsafe)]
fn tpcc_stock_level(
    w_id: Option<i32>,
    d_id: Option<i32>,
    threshold: Option<i32>,
    schema: default!(Option<&str>, "'tpcc'"),
) -> TableIterator<'static, (name!(low_stock, i32), name!(server_us, i64))> {
    let start = Instant::now();
    let output = edge(|| {
        let input = StockLevelInput {
            w_id: warehouse("w_id", w_id)?,
            d_id: district("d_id", d_id)?,
            threshold: in_range("threshold", threshold, 10..=20)?,
        };
        session(schema)?.stock_level(&input)
    });
    TableIterator::once((output.low_stock, microseconds_since(start)))
}
