//! Stock-Level (clause 2.8): read only.

use pgrx::pg_sys;
use workload::tpcc::StockLevelInput;

use super::{Preparer, Session, no_such_row};
use crate::pg::datum::int4_array;
use crate::pg::error::Result;
use crate::pg::spi::{self, Access, Plan};

/// The kept plans of Stock-Level.
pub struct Plans {
    items: Plan,
    low_stock: Plan,
}

impl Plans {
    pub(super) fn prepare(preparer: &Preparer) -> Result<Self> {
        use pg_sys::{INT2OID, INT4ARRAYOID, INT4OID};
        Ok(Self {
            items: preparer.prepare(
                include_str!("../../../sql/statements/stock_level/items.sql"),
                &[INT4OID, INT2OID],
                Access::ReadOnly,
            )?,
            low_stock: preparer.prepare(
                include_str!("../../../sql/statements/stock_level/low_stock.sql"),
                &[INT4OID, INT4ARRAYOID, INT4OID],
                Access::ReadOnly,
            )?,
        })
    }

    pub(super) fn free(self) {
        [self.items, self.low_stock]
            .into_iter()
            .for_each(Plan::free);
    }
}

/// What the terminal shows (clause 2.8.3.3).
#[derive(Debug)]
pub struct StockLevelOutput {
    /// Distinct items of the last 20 orders with a stock below the threshold.
    pub low_stock: i32,
}

impl Session {
    /// Counts the recently sold items whose stock is low.
    ///
    /// Errors: TC002 where the district does not exist.
    pub fn stock_level(&self, input: &StockLevelInput) -> Result<StockLevelOutput> {
        spi::connect(|spi| {
            let plans = &self.plans.stock_level;
            let w_id = pg_sys::Datum::from(input.w_id);
            let mut items = Vec::with_capacity(300);
            spi.execute(&plans.items, &[w_id, (input.d_id as i16).into()], |row| {
                items.push(row.int4(0));
                Ok(())
            })?;
            if items.is_empty() {
                let what = format!(
                    "an order of district {} of warehouse {}",
                    input.d_id, input.w_id
                );
                return Err(no_such_row(spi, &self.plans, &what, input.w_id));
            }
            items.sort_unstable();
            items.dedup();
            let mut low_stock = 0;
            let arguments = [
                w_id,
                int4_array(items.iter().copied()),
                input.threshold.into(),
            ];
            spi.execute(&plans.low_stock, &arguments, |row| {
                low_stock = row.int8(0) as i32;
                Ok(())
            })?;
            Ok(StockLevelOutput { low_stock })
        })
    }
}
