//! The rows of the nine tables, and their columns in the order of the tables.

use super::table::{Cents, ColumnWriter, Rate4, Row, Table, Timestamp};
use super::text::Text;

/// A row of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// 1..=100000.
    pub i_id: i32,
    /// 1..=10000.
    pub i_im_id: i32,
    /// 1.00 to 100.00.
    pub i_price: Cents,
    /// 14 to 24 letters and digits.
    pub i_name: Text<24>,
    /// 26 to 50 letters and digits, with ORIGINAL in a tenth of the rows.
    pub i_data: Text<50>,
}

/// The address that warehouses, districts and customers have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// 10 to 20 letters and digits.
    pub street_1: Text<20>,
    /// 10 to 20 letters and digits.
    pub street_2: Text<20>,
    /// 10 to 20 letters and digits.
    pub city: Text<20>,
    /// 2 letters.
    pub state: Text<2>,
    /// 4 random digits and "11111".
    pub zip: Text<9>,
}

/// A row of warehouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Warehouse {
    /// 1 and up.
    pub w_id: i32,
    /// 300000.00.
    pub w_ytd: Cents,
    /// 0 to 0.2000.
    pub w_tax: Rate4,
    /// 6 to 10 letters and digits.
    pub w_name: Text<10>,
    /// The address.
    pub address: Address,
}

/// A row of district.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct District {
    /// The warehouse.
    pub d_w_id: i32,
    /// 1..=10.
    pub d_id: i32,
    /// 3001.
    pub d_next_o_id: i32,
    /// 30000.00.
    pub d_ytd: Cents,
    /// 0 to 0.2000.
    pub d_tax: Rate4,
    /// 6 to 10 letters and digits.
    pub d_name: Text<10>,
    /// The address.
    pub address: Address,
}

/// A row of customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Customer {
    /// The warehouse.
    pub c_w_id: i32,
    /// The district.
    pub c_d_id: i32,
    /// 1..=3000.
    pub c_id: i32,
    /// The time of the load.
    pub c_since: Timestamp,
    /// 1.
    pub c_payment_cnt: i32,
    /// 0.
    pub c_delivery_cnt: i32,
    /// 50000.00.
    pub c_credit_lim: Cents,
    /// 0 to 0.5000.
    pub c_discount: Rate4,
    /// -10.00.
    pub c_balance: Cents,
    /// 10.00.
    pub c_ytd_payment: Cents,
    /// "GC", and "BC" in a tenth of the rows.
    pub c_credit: Text<2>,
    /// "OE".
    pub c_middle: Text<2>,
    /// 8 to 16 letters and digits.
    pub c_first: Text<16>,
    /// Made of three syllables; see [`last_name`](super::last_name).
    pub c_last: Text<16>,
    /// The address.
    pub address: Address,
    /// 16 digits.
    pub c_phone: Text<16>,
    /// 300 to 500 letters and digits.
    pub c_data: Text<500>,
}

/// A row of history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct History {
    /// The time of the load.
    pub h_date: Timestamp,
    /// The customer.
    pub h_c_id: i32,
    /// The customer's warehouse.
    pub h_c_w_id: i32,
    /// The customer's district.
    pub h_c_d_id: i32,
    /// The warehouse that was paid.
    pub h_w_id: i32,
    /// The district that was paid.
    pub h_d_id: i32,
    /// 10.00.
    pub h_amount: Cents,
    /// 12 to 24 letters and digits.
    pub h_data: Text<24>,
}

/// A row of orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The time of the load.
    pub o_entry_d: Timestamp,
    /// 1..=3000.
    pub o_id: i32,
    /// The warehouse.
    pub o_w_id: i32,
    /// The district.
    pub o_d_id: i32,
    /// The customer: a random permutation of 1..=3000 for each district.
    pub o_c_id: i32,
    /// 5..=15.
    pub o_ol_cnt: i32,
    /// 1.
    pub o_all_local: i32,
    /// 1..=10, and none where o_id is 2101 or more.
    pub o_carrier_id: Option<i32>,
}

/// A row of new_order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewOrder {
    /// The warehouse.
    pub no_w_id: i32,
    /// The district.
    pub no_d_id: i32,
    /// 2101..=3000.
    pub no_o_id: i32,
}

/// A row of order_line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderLine {
    /// The order.
    pub ol_o_id: i32,
    /// The warehouse.
    pub ol_w_id: i32,
    /// The district.
    pub ol_d_id: i32,
    /// 1 up to the order's o_ol_cnt.
    pub ol_number: i32,
    /// 1..=100000.
    pub ol_i_id: i32,
    /// The home warehouse.
    pub ol_supply_w_id: i32,
    /// 5.
    pub ol_quantity: i32,
    /// The order's time, and none where the order is 2101 or more.
    pub ol_delivery_d: Option<Timestamp>,
    /// 0.00, and 0.01 to 9999.99 where the order is 2101 or more.
    pub ol_amount: Cents,
    /// 24 letters and digits.
    pub ol_dist_info: Text<24>,
}

/// A row of stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stock {
    /// The warehouse.
    pub s_w_id: i32,
    /// The item.
    pub s_i_id: i32,
    /// 0.
    pub s_ytd: i32,
    /// 0.
    pub s_order_cnt: i32,
    /// 0.
    pub s_remote_cnt: i32,
    /// 10..=100.
    pub s_quantity: i32,
    /// 24 letters and digits for each district.
    pub s_dist: [Text<24>; 10],
    /// 26 to 50 letters and digits, with ORIGINAL in a tenth of the rows.
    pub s_data: Text<50>,
}

impl Address {
    fn write(&self, out: &mut impl ColumnWriter) {
        out.text(self.street_1.as_bytes());
        out.text(self.street_2.as_bytes());
        out.text(self.city.as_bytes());
        out.text(self.state.as_bytes());
        out.text(self.zip.as_bytes());
    }
}

impl Row for Item {
    const TABLE: Table = Table::Item;

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        out.int4(self.i_id);
        out.int4(self.i_im_id);
        out.numeric(self.i_price.0, 2);
        out.text(self.i_name.as_bytes());
        out.text(self.i_data.as_bytes());
    }
}

impl Row for Warehouse {
    const TABLE: Table = Table::Warehouse;

    fn write(&self, out: &mut impl ColumnWriter) {
        out.int4(self.w_id);
        out.numeric(self.w_ytd.0, 2);
        out.numeric(self.w_tax.0.into(), 4);
        out.text(self.w_name.as_bytes());
        self.address.write(out);
    }
}

impl Row for District {
    const TABLE: Table = Table::District;

    fn write(&self, out: &mut impl ColumnWriter) {
        out.int4(self.d_w_id);
        out.int4(self.d_next_o_id);
        out.int2(self.d_id as i16);
        out.numeric(self.d_ytd.0, 2);
        out.numeric(self.d_tax.0.into(), 4);
        out.text(self.d_name.as_bytes());
        self.address.write(out);
    }
}

impl Row for Customer {
    const TABLE: Table = Table::Customer;

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        out.timestamp(self.c_since.0);
        out.int4(self.c_w_id);
        out.int4(self.c_id);
        out.int4(self.c_payment_cnt);
        out.int4(self.c_delivery_cnt);
        out.int2(self.c_d_id as i16);
        out.numeric(self.c_credit_lim.0, 2);
        out.numeric(self.c_discount.0.into(), 4);
        out.numeric(self.c_balance.0, 2);
        out.numeric(self.c_ytd_payment.0, 2);
        out.text(self.c_credit.as_bytes());
        out.text(self.c_middle.as_bytes());
        out.text(self.c_first.as_bytes());
        out.text(self.c_last.as_bytes());
        self.address.write(out);
        out.text(self.c_phone.as_bytes());
        out.text(self.c_data.as_bytes());
    }
}

impl Row for History {
    const TABLE: Table = Table::History;

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        out.timestamp(self.h_date.0);
        out.int4(self.h_c_id);
        out.int4(self.h_c_w_id);
        out.int4(self.h_w_id);
        out.int2(self.h_c_d_id as i16);
        out.int2(self.h_d_id as i16);
        out.numeric(self.h_amount.0, 2);
        out.text(self.h_data.as_bytes());
    }
}

impl Row for Order {
    const TABLE: Table = Table::Orders;

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        out.timestamp(self.o_entry_d.0);
        out.int4(self.o_id);
        out.int4(self.o_w_id);
        out.int4(self.o_c_id);
        out.int2(self.o_d_id as i16);
        out.int2(self.o_ol_cnt as i16);
        out.int2(self.o_all_local as i16);
        match self.o_carrier_id {
            Some(carrier) => out.int2(carrier as i16),
            None => out.null(),
        }
    }
}

impl Row for NewOrder {
    const TABLE: Table = Table::NewOrder;

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        out.int4(self.no_w_id);
        out.int4(self.no_o_id);
        out.int2(self.no_d_id as i16);
    }
}

impl Row for OrderLine {
    const TABLE: Table = Table::OrderLine;

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        out.int4(self.ol_o_id);
        out.int4(self.ol_w_id);
        out.int4(self.ol_i_id);
        out.int4(self.ol_supply_w_id);
        out.int2(self.ol_d_id as i16);
        out.int2(self.ol_number as i16);
        out.int2(self.ol_quantity as i16);
        match self.ol_delivery_d {
            Some(time) => out.timestamp(time.0),
            None => out.null(),
        }
        out.numeric(self.ol_amount.0, 2);
        out.text(self.ol_dist_info.as_bytes());
    }
}

impl Row for Stock {
    const TABLE: Table = Table::Stock;

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        out.int4(self.s_w_id);
        out.int4(self.s_i_id);
        out.int4(self.s_ytd);
        out.int4(self.s_order_cnt);
        out.int4(self.s_remote_cnt);
        out.int2(self.s_quantity as i16);
        for dist in &self.s_dist {
            out.text(dist.as_bytes());
        }
        out.text(self.s_data.as_bytes());
    }
}
