//! New-Order (clause 2.4).

use pgrx::pg_sys;
use workload::tpcc::{MAX_ORDER_LINES, NewOrderInput};

use super::{Preparer, Session, no_such_row, trimmed};
use crate::pg::clock;
use crate::pg::datum::{cents_array, int2_array, int4_array, text_array};
use crate::pg::error::Result;
use crate::pg::spi::{self, Access, Plan, Spi};
use crate::pg::subxact;

/// The kept plans of New-Order.
pub struct Plans {
    items: Plan,
    stock: Plan,
    district: Plan,
    insert: Plan,
}

impl Plans {
    pub(super) fn prepare(preparer: &Preparer) -> Result<Self> {
        use pg_sys::{
            INT2ARRAYOID, INT2OID, INT4ARRAYOID, INT4OID, NUMERICARRAYOID, TEXTARRAYOID,
            TIMESTAMPTZOID,
        };
        Ok(Self {
            items: preparer.prepare(
                include_str!("../../../sql/statements/new_order/items.sql"),
                &[INT4ARRAYOID],
                Access::ReadWrite,
            )?,
            stock: preparer.prepare(
                include_str!("../../../sql/statements/new_order/stock.sql"),
                &[INT4OID, INT4ARRAYOID, INT2ARRAYOID, INT2OID, INT4OID],
                Access::ReadWrite,
            )?,
            district: preparer.prepare(
                include_str!("../../../sql/statements/new_order/district.sql"),
                &[INT4OID, INT2OID, INT4OID],
                Access::ReadWrite,
            )?,
            insert: preparer.prepare(
                include_str!("../../../sql/statements/new_order/insert.sql"),
                &[
                    INT4OID,
                    INT2OID,
                    INT4OID,
                    INT4OID,
                    TIMESTAMPTZOID,
                    INT2OID,
                    INT2OID,
                    INT2ARRAYOID,
                    INT4ARRAYOID,
                    INT4ARRAYOID,
                    INT2ARRAYOID,
                    NUMERICARRAYOID,
                    TEXTARRAYOID,
                ],
                Access::ReadWrite,
            )?,
        })
    }

    pub(super) fn free(self) {
        [self.items, self.stock, self.district, self.insert]
            .into_iter()
            .for_each(Plan::free);
    }
}

/// What to do with the work of an order that holds an unused item (clause 2.4.1.4).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnUnusedItem {
    /// Leave it in the transaction, which the caller rolls back.
    LeaveToCaller,
    /// Roll it back in a subtransaction, so that the caller's transaction goes on.
    RollBackHere,
}

/// What the terminal shows of an order (clause 2.4.3.3). Money in cents, rates in ten-thousandths.
#[derive(Debug, Default)]
pub struct NewOrderOutput {
    /// The order's number.
    pub o_id: i32,
    /// Microseconds since 2000-01-01 00:00 UTC.
    pub o_entry_d: i64,
    /// The customer's last name.
    pub c_last: String,
    /// `GC` or `BC`.
    pub c_credit: String,
    /// The customer's discount.
    pub c_discount: i64,
    /// The warehouse's tax.
    pub w_tax: i64,
    /// The district's tax.
    pub d_tax: i64,
    /// The order's total.
    pub total_amount: i64,
    /// The lines in the order of the input; an unused item has none of its fields.
    pub lines: Vec<OrderLineOutput>,
    /// The order held an unused item.
    pub rolled_back: bool,
}

/// What the terminal shows of an order's line.
#[derive(Debug, Default, Clone)]
pub struct OrderLineOutput {
    /// The item's name; `None` for an unused item.
    pub i_name: Option<String>,
    /// The item's price in cents.
    pub i_price: i64,
    /// The stock after the order.
    pub s_quantity: i16,
    /// `B` where item and stock are original, else `G`.
    pub brand_generic: char,
    /// Quantity times price, in cents.
    pub ol_amount: i64,
    original: bool,
    dist_info: Vec<u8>,
}

impl Session {
    /// Enters an order.
    ///
    /// Errors: TC002 where the customer or a supplying warehouse does not exist.
    pub fn new_order(&self, input: &NewOrderInput, unused: OnUnusedItem) -> Result<NewOrderOutput> {
        spi::connect(|spi| {
            let order = Order {
                spi,
                session: self,
                input,
            };
            let (lines, complete) = order.items()?;
            if complete || unused == OnUnusedItem::LeaveToCaller {
                order.enter(lines, !complete)
            } else {
                subxact::rolled_back(|| order.enter(lines, true))
            }
        })
    }
}

struct Order<'a> {
    spi: &'a Spi,
    session: &'a Session,
    input: &'a NewOrderInput,
}

impl Order<'_> {
    fn plans(&self) -> &Plans {
        &self.session.plans.new_order
    }

    /// Looks the items up. The second value is whether all of them exist.
    fn items(&self) -> Result<(Vec<OrderLineOutput>, bool)> {
        let asked = &self.input.lines;
        let mut lines = vec![OrderLineOutput::default(); asked.len()];
        let ids = int4_array(asked.iter().map(|line| line.i_id));
        self.spi.execute(&self.plans().items, &[ids], |row| {
            let i_id = row.int4(0);
            let i_price = row.numeric(1, 2)?;
            for (line, asked) in lines
                .iter_mut()
                .zip(asked)
                .filter(|(_, asked)| asked.i_id == i_id)
            {
                line.i_name = Some(row.text(2));
                line.i_price = i_price;
                line.ol_amount = i_price * i64::from(asked.quantity);
                line.original = is_original(row.bytes(3));
            }
            Ok(())
        })?;
        let complete = lines.iter().all(|line| line.i_name.is_some());
        Ok((lines, complete))
    }

    fn enter(&self, mut lines: Vec<OrderLineOutput>, rolled_back: bool) -> Result<NewOrderOutput> {
        let input = self.input;
        let w_id = pg_sys::Datum::from(input.w_id);
        let d_id = pg_sys::Datum::from(input.d_id as i16);
        let c_id = pg_sys::Datum::from(input.c_id);

        self.update_stock(&mut lines)?;

        let mut output = NewOrderOutput {
            rolled_back,
            ..Default::default()
        };
        let found = self
            .spi
            .execute(&self.plans().district, &[w_id, d_id, c_id], |row| {
                output.o_id = row.int4(0);
                output.d_tax = row.numeric(1, 4)?;
                output.w_tax = row.numeric(2, 4)?;
                output.c_discount = row.numeric(3, 4)?;
                output.c_last = row.text(4);
                output.c_credit = trimmed(row, 5);
                Ok(())
            })?;
        if found == 0 {
            let what = format!(
                "customer {} of district {} of warehouse {}",
                input.c_id, input.d_id, input.w_id
            );
            return Err(no_such_row(
                self.spi,
                &self.session.plans,
                &what,
                input.w_id,
            ));
        }

        output.o_entry_d = clock::now();
        let all_local = input
            .lines
            .iter()
            .all(|line| line.supply_w_id == input.w_id);
        let entered: Vec<_> = (0..lines.len())
            .filter(|i| lines[*i].i_name.is_some())
            .collect();
        self.spi.execute(
            &self.plans().insert,
            &[
                w_id,
                d_id,
                output.o_id.into(),
                c_id,
                output.o_entry_d.into(),
                (input.lines.len() as i16).into(),
                i16::from(all_local).into(),
                int2_array(entered.iter().map(|i| *i as i16 + 1)),
                int4_array(entered.iter().map(|i| input.lines[*i].i_id)),
                int4_array(entered.iter().map(|i| input.lines[*i].supply_w_id)),
                int2_array(entered.iter().map(|i| input.lines[*i].quantity as i16)),
                cents_array(entered.iter().map(|i| lines[*i].ol_amount)),
                text_array(entered.iter().map(|i| lines[*i].dist_info.as_slice())),
            ],
            |_| Ok(()),
        )?;
        let sum = lines.iter().map(|line| line.ol_amount).sum();
        output.total_amount = total(sum, output.c_discount, output.w_tax + output.d_tax);
        output.lines = lines;
        Ok(output)
    }

    /// Takes the lines from stock, row locks in the order of (warehouse, item).
    ///
    /// One statement serves the lines of one supplying warehouse. An item that the order repeats
    /// goes into a further round, because a statement changes a row once only.
    fn update_stock(&self, lines: &mut [OrderLineOutput]) -> Result<()> {
        let asked = &self.input.lines;
        let key = |i: &usize| (asked[*i].supply_w_id, asked[*i].i_id);
        let mut pending: Vec<usize> = (0..asked.len())
            .filter(|i| lines[*i].i_name.is_some())
            .collect();
        pending.sort_by_key(key);
        while !pending.is_empty() {
            let mut round: Vec<usize> = Vec::with_capacity(MAX_ORDER_LINES as usize);
            let mut repeated = Vec::new();
            for i in pending {
                match round.last() {
                    Some(last) if key(last) == key(&i) => repeated.push(i),
                    _ => round.push(i),
                }
            }
            for group in round.chunk_by(|a, b| asked[*a].supply_w_id == asked[*b].supply_w_id) {
                self.update_stock_of_warehouse(group, lines)?;
            }
            pending = repeated;
        }
        Ok(())
    }

    fn update_stock_of_warehouse(
        &self,
        group: &[usize],
        lines: &mut [OrderLineOutput],
    ) -> Result<()> {
        let asked = &self.input.lines;
        let supply_w_id = asked[group[0]].supply_w_id;
        let remote = i32::from(supply_w_id != self.input.w_id);
        let arguments = [
            supply_w_id.into(),
            int4_array(group.iter().map(|i| asked[*i].i_id)),
            int2_array(group.iter().map(|i| asked[*i].quantity as i16)),
            (self.input.d_id as i16).into(),
            remote.into(),
        ];
        let updated = self.spi.execute(&self.plans().stock, &arguments, |row| {
            let i_id = row.int4(0);
            if let Some(i) = group.iter().find(|i| asked[**i].i_id == i_id) {
                let line = &mut lines[*i];
                line.s_quantity = row.int2(1);
                line.brand_generic = if line.original && is_original(row.bytes(2)) {
                    'B'
                } else {
                    'G'
                };
                line.dist_info = row.bytes(3).to_vec();
            }
            Ok(())
        })?;
        if updated == group.len() as u64 {
            return Ok(());
        }
        let what = format!(
            "stock of {} of {} items in warehouse {supply_w_id}",
            group.len() as u64 - updated,
            group.len()
        );
        Err(no_such_row(
            self.spi,
            &self.session.plans,
            &what,
            supply_w_id,
        ))
    }
}

fn is_original(data: &[u8]) -> bool {
    data.windows(8).any(|part| part == b"ORIGINAL")
}

/// `sum * (1 - discount) * (1 + tax)` in cents, rounded half up (clause 2.4.2.2).
fn total(sum: i64, discount: i64, tax: i64) -> i64 {
    let exact = i128::from(sum) * i128::from(10_000 - discount) * i128::from(10_000 + tax);
    ((exact + 50_000_000) / 100_000_000) as i64
}
