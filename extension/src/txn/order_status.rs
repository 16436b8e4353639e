//! Order-Status (clause 2.6): read only.

use pgrx::pg_sys;
use workload::tpcc::{CustomerSelector, OrderStatusInput};

use super::{Preparer, Session, middle, no_such_row, trimmed};
use crate::pg::datum::varlena;
use crate::pg::error::Result;
use crate::pg::spi::{self, Access, Plan, Spi};

/// The kept plans of Order-Status.
pub struct Plans {
    customer: Plan,
    customers_by_name: Plan,
    order: Plan,
    lines: Plan,
}

impl Plans {
    pub(super) fn prepare(preparer: &Preparer) -> Result<Self> {
        use pg_sys::{INT2OID, INT4OID, TEXTOID};
        let by_id = [INT4OID, INT2OID, INT4OID];
        Ok(Self {
            customer: preparer.prepare(
                include_str!("../../../sql/statements/order_status/customer.sql"),
                &by_id,
                Access::ReadOnly,
            )?,
            customers_by_name: preparer.prepare(
                include_str!("../../../sql/statements/order_status/customers_by_name.sql"),
                &[INT4OID, INT2OID, TEXTOID],
                Access::ReadOnly,
            )?,
            order: preparer.prepare(
                include_str!("../../../sql/statements/order_status/order.sql"),
                &by_id,
                Access::ReadOnly,
            )?,
            lines: preparer.prepare(
                include_str!("../../../sql/statements/order_status/lines.sql"),
                &by_id,
                Access::ReadOnly,
            )?,
        })
    }

    pub(super) fn free(self) {
        [
            self.customer,
            self.customers_by_name,
            self.order,
            self.lines,
        ]
        .into_iter()
        .for_each(Plan::free);
    }
}

/// What the terminal shows of a customer's newest order (clause 2.6.3.3). Money in cents, times
/// in microseconds since 2000-01-01 00:00 UTC.
#[derive(Debug, Default, Clone)]
pub struct OrderStatusOutput {
    /// The customer, also where it was selected by name.
    pub c_id: i32,
    /// First name.
    pub c_first: String,
    /// Middle initials.
    pub c_middle: String,
    /// Last name.
    pub c_last: String,
    /// Balance.
    pub c_balance: i64,
    /// The order; 0 where the customer has none.
    pub o_id: i32,
    /// When it was entered.
    pub o_entry_d: i64,
    /// Its carrier, once it is delivered.
    pub o_carrier_id: Option<i16>,
    /// Its lines.
    pub lines: Vec<OrderStatusLine>,
}

/// A line of the order.
#[derive(Debug, Clone)]
pub struct OrderStatusLine {
    /// Supplying warehouse.
    pub supply_w_id: i32,
    /// Item.
    pub i_id: i32,
    /// Quantity.
    pub quantity: i16,
    /// Amount in cents.
    pub amount: i64,
    /// When it was delivered, if it was.
    pub delivery_d: Option<i64>,
}

impl Session {
    /// Reads the newest order of a customer.
    ///
    /// Errors: TC002 where the customer does not exist.
    pub fn order_status(&self, input: &OrderStatusInput) -> Result<OrderStatusOutput> {
        spi::connect(|spi| self.read_order_status(spi, input))
    }

    fn read_order_status(&self, spi: &Spi, input: &OrderStatusInput) -> Result<OrderStatusOutput> {
        let plans = &self.plans.order_status;
        let w_id = pg_sys::Datum::from(input.w_id);
        let d_id = pg_sys::Datum::from(input.d_id as i16);
        let (plan, selector) = match &input.customer {
            CustomerSelector::ById(c_id) => (&plans.customer, pg_sys::Datum::from(*c_id)),
            CustomerSelector::ByLastName(name) => {
                (&plans.customers_by_name, varlena(name.as_bytes()))
            }
        };
        let mut customers = Vec::new();
        spi.execute(plan, &[w_id, d_id, selector], |row| {
            customers.push(OrderStatusOutput {
                c_id: row.int4(0),
                c_first: row.text(1),
                c_middle: trimmed(row, 2),
                c_last: row.text(3),
                c_balance: row.numeric(4, 2)?,
                ..Default::default()
            });
            Ok(())
        })?;
        if customers.is_empty() {
            let customer = match &input.customer {
                CustomerSelector::ById(c_id) => format!("customer {c_id}"),
                CustomerSelector::ByLastName(name) => format!("a customer named {}", name.as_str()),
            };
            let what = format!(
                "{customer} of district {} of warehouse {}",
                input.d_id, input.w_id
            );
            return Err(no_such_row(spi, &self.plans, &what, input.w_id));
        }
        let mut output = customers.swap_remove(middle(customers.len()));

        spi.execute(&plans.order, &[w_id, d_id, output.c_id.into()], |row| {
            output.o_id = row.int4(0);
            output.o_entry_d = row.timestamp(1);
            output.o_carrier_id = (!row.is_null(2)).then(|| row.int2(2));
            Ok(())
        })?;
        spi.execute(&plans.lines, &[w_id, d_id, output.o_id.into()], |row| {
            output.lines.push(OrderStatusLine {
                supply_w_id: row.int4(0),
                i_id: row.int4(1),
                quantity: row.int2(2),
                amount: row.numeric(3, 2)?,
                delivery_d: (!row.is_null(4)).then(|| row.timestamp(4)),
            });
            Ok(())
        })?;
        Ok(output)
    }
}
