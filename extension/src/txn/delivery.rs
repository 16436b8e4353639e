//! Delivery (clause 2.7), one transaction for the ten districts.

use pgrx::pg_sys;
use workload::tpcc::{DISTRICTS_PER_WAREHOUSE, DeliveryInput};

use super::{Preparer, Session};
use crate::pg::clock;
use crate::pg::datum::{cents_array, int2_array, int4_array};
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi::{self, Access, Plan, Spi};

/// The kept plans of Delivery.
pub struct Plans {
    take: Plan,
    waiting: Plan,
    orders: Plan,
    lines: Plan,
    customers: Plan,
}

impl Plans {
    pub(super) fn prepare(preparer: &Preparer) -> Result<Self> {
        use pg_sys::{
            INT2ARRAYOID, INT2OID, INT4ARRAYOID, INT4OID, NUMERICARRAYOID, TIMESTAMPTZOID,
        };
        Ok(Self {
            take: preparer.prepare(
                include_str!("../../../sql/statements/delivery/take.sql"),
                &[INT4OID, INT2ARRAYOID],
                Access::ReadWrite,
            )?,
            waiting: preparer.prepare(
                include_str!("../../../sql/statements/delivery/waiting.sql"),
                &[INT4OID, INT2ARRAYOID],
                Access::ReadWrite,
            )?,
            orders: preparer.prepare(
                include_str!("../../../sql/statements/delivery/orders.sql"),
                &[INT4OID, INT2ARRAYOID, INT4ARRAYOID, INT2OID],
                Access::ReadWrite,
            )?,
            lines: preparer.prepare(
                include_str!("../../../sql/statements/delivery/lines.sql"),
                &[INT4OID, INT2ARRAYOID, INT4ARRAYOID, TIMESTAMPTZOID],
                Access::ReadWrite,
            )?,
            customers: preparer.prepare(
                include_str!("../../../sql/statements/delivery/customers.sql"),
                &[INT4OID, INT2ARRAYOID, INT4ARRAYOID, NUMERICARRAYOID],
                Access::ReadWrite,
            )?,
        })
    }

    pub(super) fn free(self) {
        [
            self.take,
            self.waiting,
            self.orders,
            self.lines,
            self.customers,
        ]
        .into_iter()
        .for_each(Plan::free);
    }
}

const DISTRICTS: usize = DISTRICTS_PER_WAREHOUSE as usize;

/// What was delivered.
#[derive(Debug, Default)]
pub struct DeliveryOutput {
    /// The order of each district, by district; `None` where there was nothing to deliver.
    pub o_ids: [Option<i32>; DISTRICTS],
}

impl DeliveryOutput {
    /// Districts without an order to deliver (clause 2.7.4.2).
    pub fn skipped(&self) -> u32 {
        self.o_ids.iter().filter(|o_id| o_id.is_none()).count() as u32
    }
}

impl Session {
    /// Delivers the oldest order of each district.
    ///
    /// Errors: TC002 where the warehouse does not exist, XX001 where a taken order has no row in `orders`.
    pub fn delivery(&self, input: &DeliveryInput) -> Result<DeliveryOutput> {
        spi::connect(|spi| self.deliver(spi, input))
    }

    fn deliver(&self, spi: &Spi, input: &DeliveryInput) -> Result<DeliveryOutput> {
        let plans = &self.plans.delivery;
        let w_id = pg_sys::Datum::from(input.w_id);
        let output = self.take(spi, input.w_id)?;
        let taken: Vec<(i16, i32)> = (1..)
            .zip(output.o_ids)
            .filter_map(|(d_id, o_id)| Some((d_id, o_id?)))
            .collect();
        if taken.is_empty() {
            super::require_warehouse(spi, &self.plans, input.w_id)?;
            return Ok(output);
        }
        let districts = int2_array(taken.iter().map(|(d_id, _)| *d_id));
        let orders = int4_array(taken.iter().map(|(_, o_id)| *o_id));

        let mut customers = [0; DISTRICTS];
        let arguments = [w_id, districts, orders, (input.carrier_id as i16).into()];
        let found = spi.execute(&plans.orders, &arguments, |row| {
            customers[row.int2(0) as usize - 1] = row.int4(1);
            Ok(())
        })?;
        if found != taken.len() as u64 {
            return Err(ServerError::new(
                SqlState(*b"XX001"),
                format!(
                    "warehouse {}: {} orders were waiting for delivery, {found} of them are in orders",
                    input.w_id,
                    taken.len()
                ),
            )
            .hint("SELECT * FROM tpcc_check();"));
        }

        let mut amounts = [0; DISTRICTS];
        let arguments = [w_id, districts, orders, clock::now().into()];
        spi.execute(&plans.lines, &arguments, |row| {
            amounts[row.int2(0) as usize - 1] += row.numeric(1, 2)?;
            Ok(())
        })?;
        let arguments = [
            w_id,
            districts,
            int4_array(taken.iter().map(|(d_id, _)| customers[*d_id as usize - 1])),
            cents_array(taken.iter().map(|(d_id, _)| amounts[*d_id as usize - 1])),
        ];
        spi.execute(&plans.customers, &arguments, |_| Ok(()))?;
        Ok(output)
    }

    /// Deletes the oldest `new_order` row of each district.
    ///
    /// Under read committed another delivery may take the row that ours has found first; then
    /// ours gets nothing for that district and looks again, until no row is left there.
    fn take(&self, spi: &Spi, w_id: i32) -> Result<DeliveryOutput> {
        let plans = &self.plans.delivery;
        let mut output = DeliveryOutput::default();
        let mut districts: Vec<i16> = (1..=DISTRICTS as i16).collect();
        while !districts.is_empty() {
            let arguments = [w_id.into(), int2_array(districts.iter().copied())];
            let found = spi.execute(&plans.take, &arguments, |row| {
                output.o_ids[row.int2(0) as usize - 1] = Some(row.int4(1));
                Ok(())
            })?;
            if found == districts.len() as u64 {
                break;
            }
            districts.retain(|d_id| output.o_ids[*d_id as usize - 1].is_none());
            let arguments = [w_id.into(), int2_array(districts.iter().copied())];
            districts.clear();
            spi.execute(&plans.waiting, &arguments, |row| {
                districts.push(row.int2(0));
                Ok(())
            })?;
        }
        Ok(output)
    }
}
