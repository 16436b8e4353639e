//! The rows' columns in the order of the tables.

use super::population::{
    Address, Customer, District, History, Item, NewOrder, Order, OrderLine, Stock, Warehouse,
};
use super::table::{ColumnWriter, Row, Table};

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
