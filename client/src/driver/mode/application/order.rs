//! What an application works out about an order (clause 2.4.2.2).

use std::hint::black_box;

use workload::tpcc::{Cents, NewOrderInput, OrderLineInput};

use super::names;
use crate::driver::mode::reply::Reply;
use crate::driver::mode::value::Value;
use crate::driver::mode::{Outcome, TransactionError};

/// An order that is being entered.
pub(in crate::driver::mode) struct Order<'a> {
    pub(in crate::driver::mode) input: &'a NewOrderInput,
    lines: Vec<Line>,
}

/// What is known of a line.
#[derive(Debug, Clone, Default)]
struct Line {
    item: Option<Item>,
    stock: Option<Stock>,
}

#[derive(Debug, Clone)]
struct Item {
    price: Cents,
    original: bool,
}

#[derive(Debug, Clone)]
struct Stock {
    /// What is left when the line is taken.
    quantity: i32,
    original: bool,
    dist_info: String,
}

impl<'a> Order<'a> {
    pub(in crate::driver::mode) fn new(input: &'a NewOrderInput) -> Order<'a> {
        Order {
            input,
            lines: vec![Line::default(); input.lines.len()],
        }
    }

    /// The places of all lines in the order in which rows of stock are locked: by warehouse and item.
    pub(in crate::driver::mode) fn by_stock(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.lines.len()).collect();
        places.sort_by_key(|place| self.key(*place));
        places
    }

    /// Takes in what was read of a line's item; nothing, if it is unused.
    pub(in crate::driver::mode) fn read_item(
        &mut self,
        place: usize,
        reply: &Reply,
    ) -> Result<(), TransactionError> {
        if let Some(row) = reply.first() {
            self.lines[place].item = Some(Item {
                price: Cents(row.decimal::<2>(0)?),
                original: is_original(row.text(2)?),
            });
        }
        Ok(())
    }

    /// Takes in what was read of a line's stock. `before` is a line with the same stock whose update the
    /// reading has not seen.
    pub(in crate::driver::mode) fn read_stock(
        &mut self,
        place: usize,
        reply: &Reply,
        before: Option<usize>,
    ) -> Result<(), TransactionError> {
        let line = self.line(place);
        let row = reply.must(|| names::stock(line.i_id, line.supply_w_id))?;
        let found = match before.and_then(|before| self.lines[before].stock.as_ref()) {
            Some(stock) => stock.quantity,
            None => row.int4(0)?,
        };
        self.lines[place].stock = Some(Stock {
            quantity: left(found, line.quantity),
            original: is_original(row.text(1)?),
            dist_info: row.text(2)?.to_owned(),
        });
        Ok(())
    }

    /// Whether the line's item is in use.
    pub(in crate::driver::mode) fn has_item(&self, place: usize) -> bool {
        self.lines[place].item.is_some()
    }

    /// Whether two lines take from the same row of stock.
    pub(in crate::driver::mode) fn share_stock(&self, one: usize, other: usize) -> bool {
        self.key(one) == self.key(other)
    }

    /// The parameters that read a line's stock.
    pub(in crate::driver::mode) fn stock(&self, place: usize) -> [Value<'static>; 3] {
        let line = self.line(place);
        [
            Value::Int(line.supply_w_id),
            Value::Int(line.i_id),
            Value::Int(self.input.d_id),
        ]
    }

    /// The parameters that update it.
    pub(in crate::driver::mode) fn stock_update(&self, place: usize) -> [Value<'static>; 5] {
        let line = self.line(place);
        let quantity = self.lines[place].stock.as_ref().map_or(0, |s| s.quantity);
        [
            Value::Int(line.supply_w_id),
            Value::Int(line.i_id),
            Value::Int(quantity),
            Value::Int(line.quantity),
            Value::Int((line.supply_w_id != self.input.w_id).into()),
        ]
    }

    /// The parameters of the row in `orders`.
    pub(in crate::driver::mode) fn order(&self, o_id: i32) -> [Value<'static>; 6] {
        [
            Value::Int(self.input.w_id),
            Value::Int(self.input.d_id),
            Value::Int(o_id),
            Value::Int(self.input.c_id),
            Value::Int(self.lines.len() as i32),
            Value::Int(self.input.is_all_local().into()),
        ]
    }

    /// The parameters of the row in `new_order`.
    pub(in crate::driver::mode) fn new_order(&self, o_id: i32) -> [Value<'static>; 3] {
        [
            Value::Int(self.input.w_id),
            Value::Int(self.input.d_id),
            Value::Int(o_id),
        ]
    }

    /// The parameters of a line's row in `order_line`.
    pub(in crate::driver::mode) fn order_line(&self, place: usize, o_id: i32) -> [Value<'_>; 9] {
        let line = self.line(place);
        let stock = self.lines[place].stock.as_ref();
        [
            Value::Int(self.input.w_id),
            Value::Int(self.input.d_id),
            Value::Int(o_id),
            Value::Int(place as i32 + 1),
            Value::Int(line.i_id),
            Value::Int(line.supply_w_id),
            Value::Int(line.quantity),
            Value::Amount(self.amount(place)),
            Value::Text(stock.map_or("", |stock| &stock.dist_info)),
        ]
    }

    /// Works out what the terminal shows of the order as a whole, from what was read of its customer and
    /// its district: an application does, though nobody looks here.
    pub(in crate::driver::mode) fn show(
        &self,
        customer: &Reply,
        district: &Reply,
    ) -> Result<(), TransactionError> {
        let (customer, district) = (customer.row(0)?, district.row(0)?);
        let (w_tax, discount) = (customer.decimal::<4>(0)?, customer.decimal::<4>(1)?);
        let tax = w_tax + district.decimal::<4>(1)?;
        let sum = (0..self.lines.len()).map(|place| self.amount(place).0);
        let brands = self.lines.iter().filter(|line| line.is_brand()).count();
        black_box((total(sum.sum(), discount, tax), brands));
        Ok(())
    }

    /// What is to become of the order.
    pub(in crate::driver::mode) fn outcome(&self) -> Outcome {
        match self.lines.iter().all(|line| line.item.is_some()) {
            true => Outcome::Committed {
                skipped_districts: 0,
            },
            false => Outcome::RolledBack,
        }
    }

    fn amount(&self, place: usize) -> Cents {
        let price = self.lines[place].item.as_ref().map_or(0, |i| i.price.0);
        Cents(price * i64::from(self.line(place).quantity))
    }

    fn line(&self, place: usize) -> OrderLineInput {
        self.input.lines[place]
    }

    fn key(&self, place: usize) -> (i32, i32) {
        let line = self.line(place);
        (line.supply_w_id, line.i_id)
    }
}

impl Line {
    /// `B` and not `G`: item and stock are original.
    fn is_brand(&self) -> bool {
        self.item.as_ref().is_some_and(|item| item.original)
            && self.stock.as_ref().is_some_and(|stock| stock.original)
    }
}

fn is_original(data: &str) -> bool {
    data.contains("ORIGINAL")
}

/// What is left of a stock: where that were less than 10, it is filled up by 91.
fn left(found: i32, ordered: i32) -> i32 {
    let left = found - ordered;
    if left >= 10 { left } else { left + 91 }
}

/// `sum * (1 - discount) * (1 + tax)`, rounded half up; rates in ten-thousandths.
fn total(sum: i64, discount: i64, tax: i64) -> Cents {
    let exact = i128::from(sum) * i128::from(10_000 - discount) * i128::from(10_000 + tax);
    Cents(((exact + 50_000_000) / 100_000_000) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stock_is_filled_up_before_it_falls_below_ten() {
        assert_eq!([left(20, 10), left(19, 10), left(10, 1)], [10, 100, 100]);
    }

    #[test]
    fn a_total_is_the_standards() {
        // 100.00 * 0.9 * 1.15
        assert_eq!(total(10_000, 1_000, 1_500), Cents(10_350));
        // 0.01 * 0.5 * 1.0 is half a cent.
        assert_eq!(total(1, 5_000, 0), Cents(1));
    }
}
