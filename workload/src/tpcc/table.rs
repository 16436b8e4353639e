//! The nine tables as this project lays them out, and how a row is handed to whoever stores it.

use std::fmt;

pub use crate::row::{Column, ColumnKind, ColumnWriter};

use super::{CUSTOMERS_PER_DISTRICT, DISTRICTS_PER_WAREHOUSE, ITEMS, ORDERS_PER_DISTRICT};
use crate::row::{Record, column, nullable};

/// An amount of money in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cents(pub i64);

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

/// A tax or discount in ten-thousandths: 0.2000 is `Rate4(2000)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rate4(pub i32);

impl fmt::Display for Rate4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let rate = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:04}", rate / 10_000, rate % 10_000)
    }
}

/// Microseconds since 2000-01-01 00:00:00 UTC, as PostgreSQL keeps a timestamptz.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

/// A table of TPC-C (clause 1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// item: what is sold, the same for all warehouses.
    Item,
    /// warehouse.
    Warehouse,
    /// district.
    District,
    /// customer.
    Customer,
    /// history: a row a payment, without a key.
    History,
    /// orders.
    Orders,
    /// new_order: a row an order that is not delivered yet.
    NewOrder,
    /// order_line.
    OrderLine,
    /// stock.
    Stock,
}

impl Table {
    /// All tables, those first that others refer to.
    pub const ALL: [Table; 9] = [
        Table::Item,
        Table::Warehouse,
        Table::District,
        Table::Customer,
        Table::History,
        Table::Orders,
        Table::NewOrder,
        Table::OrderLine,
        Table::Stock,
    ];

    /// The name in SQL.
    pub const fn name(self) -> &'static str {
        match self {
            Table::Item => "item",
            Table::Warehouse => "warehouse",
            Table::District => "district",
            Table::Customer => "customer",
            Table::History => "history",
            Table::Orders => "orders",
            Table::NewOrder => "new_order",
            Table::OrderLine => "order_line",
            Table::Stock => "stock",
        }
    }

    /// The columns in the order of the table, arranged for alignment.
    pub const fn columns(self) -> &'static [Column] {
        match self {
            Table::Item => ITEM,
            Table::Warehouse => WAREHOUSE,
            Table::District => DISTRICT,
            Table::Customer => CUSTOMER,
            Table::History => HISTORY,
            Table::Orders => ORDERS,
            Table::NewOrder => NEW_ORDER,
            Table::OrderLine => ORDER_LINE,
            Table::Stock => STOCK,
        }
    }

    /// The columns of the primary key; empty for history.
    pub const fn key(self) -> &'static [&'static str] {
        match self {
            Table::Item => &["i_id"],
            Table::Warehouse => &["w_id"],
            Table::District => &["d_w_id", "d_id"],
            Table::Customer => &["c_w_id", "c_d_id", "c_id"],
            Table::History => &[],
            Table::Orders => &["o_w_id", "o_d_id", "o_id"],
            Table::NewOrder => &["no_w_id", "no_d_id", "no_o_id"],
            Table::OrderLine => &["ol_w_id", "ol_d_id", "ol_o_id", "ol_number"],
            Table::Stock => &["s_w_id", "s_i_id"],
        }
    }

    /// Rows a warehouse after the load: exact but for order_line, whose 300,000 are an average, and 0
    /// for item, whose rows belong to no warehouse (clause 1.2).
    pub const fn rows_per_warehouse(self) -> u64 {
        match self {
            Table::Item => 0,
            Table::Warehouse => 1,
            Table::District => DISTRICTS_PER_WAREHOUSE as u64,
            Table::Customer | Table::History => {
                (DISTRICTS_PER_WAREHOUSE * CUSTOMERS_PER_DISTRICT) as u64
            }
            Table::Orders => (DISTRICTS_PER_WAREHOUSE * ORDERS_PER_DISTRICT) as u64,
            Table::NewOrder => 9_000,
            Table::OrderLine => 300_000,
            Table::Stock => ITEMS as u64,
        }
    }

    /// Rows after a load of so many warehouses; an average for order_line.
    pub const fn rows(self, warehouses: u64) -> u64 {
        match self {
            Table::Item => ITEMS as u64,
            _ => self.rows_per_warehouse() * warehouses,
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A row of a table of TPC-C.
pub trait Row {
    /// The table it belongs to.
    const TABLE: Table;

    /// Hands every column to `out`, in the order of [`Table::columns`].
    fn write(&self, out: &mut impl ColumnWriter);
}

impl<R: Row> Record for R {
    const COLUMNS: &'static [Column] = R::TABLE.columns();

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        Row::write(self, out);
    }
}

const fn numeric(precision: u8, scale: u8) -> ColumnKind {
    ColumnKind::Numeric { precision, scale }
}

use ColumnKind::{Char, Int2, Int4, Timestamp as Time, Varchar};

const WAREHOUSE: &[Column] = &[
    column("w_id", Int4),
    column("w_ytd", numeric(16, 2)),
    column("w_tax", numeric(4, 4)),
    column("w_name", Varchar(10)),
    column("w_street_1", Varchar(20)),
    column("w_street_2", Varchar(20)),
    column("w_city", Varchar(20)),
    column("w_state", Char(2)),
    column("w_zip", Char(9)),
];

const DISTRICT: &[Column] = &[
    column("d_w_id", Int4),
    column("d_next_o_id", Int4),
    column("d_id", Int2),
    column("d_ytd", numeric(16, 2)),
    column("d_tax", numeric(4, 4)),
    column("d_name", Varchar(10)),
    column("d_street_1", Varchar(20)),
    column("d_street_2", Varchar(20)),
    column("d_city", Varchar(20)),
    column("d_state", Char(2)),
    column("d_zip", Char(9)),
];

const CUSTOMER: &[Column] = &[
    column("c_since", Time),
    column("c_w_id", Int4),
    column("c_id", Int4),
    column("c_payment_cnt", Int4),
    column("c_delivery_cnt", Int4),
    column("c_d_id", Int2),
    column("c_credit_lim", numeric(12, 2)),
    column("c_discount", numeric(4, 4)),
    column("c_balance", numeric(16, 2)),
    column("c_ytd_payment", numeric(16, 2)),
    column("c_credit", Char(2)),
    column("c_middle", Char(2)),
    column("c_first", Varchar(16)),
    column("c_last", Varchar(16)),
    column("c_street_1", Varchar(20)),
    column("c_street_2", Varchar(20)),
    column("c_city", Varchar(20)),
    column("c_state", Char(2)),
    column("c_zip", Char(9)),
    column("c_phone", Char(16)),
    column("c_data", Varchar(500)),
];

const HISTORY: &[Column] = &[
    column("h_date", Time),
    column("h_c_id", Int4),
    column("h_c_w_id", Int4),
    column("h_w_id", Int4),
    column("h_c_d_id", Int2),
    column("h_d_id", Int2),
    column("h_amount", numeric(6, 2)),
    column("h_data", Varchar(24)),
];

const ORDERS: &[Column] = &[
    column("o_entry_d", Time),
    column("o_id", Int4),
    column("o_w_id", Int4),
    column("o_c_id", Int4),
    column("o_d_id", Int2),
    column("o_ol_cnt", Int2),
    column("o_all_local", Int2),
    nullable("o_carrier_id", Int2),
];

const NEW_ORDER: &[Column] = &[
    column("no_w_id", Int4),
    column("no_o_id", Int4),
    column("no_d_id", Int2),
];

const ORDER_LINE: &[Column] = &[
    column("ol_o_id", Int4),
    column("ol_w_id", Int4),
    column("ol_i_id", Int4),
    column("ol_supply_w_id", Int4),
    column("ol_d_id", Int2),
    column("ol_number", Int2),
    column("ol_quantity", Int2),
    nullable("ol_delivery_d", Time),
    column("ol_amount", numeric(6, 2)),
    column("ol_dist_info", Char(24)),
];

const ITEM: &[Column] = &[
    column("i_id", Int4),
    column("i_im_id", Int4),
    column("i_price", numeric(5, 2)),
    column("i_name", Varchar(24)),
    column("i_data", Varchar(50)),
];

const STOCK: &[Column] = &[
    column("s_w_id", Int4),
    column("s_i_id", Int4),
    column("s_ytd", Int4),
    column("s_order_cnt", Int4),
    column("s_remote_cnt", Int4),
    column("s_quantity", Int2),
    column("s_dist_01", Char(24)),
    column("s_dist_02", Char(24)),
    column("s_dist_03", Char(24)),
    column("s_dist_04", Char(24)),
    column("s_dist_05", Char(24)),
    column("s_dist_06", Char(24)),
    column("s_dist_07", Char(24)),
    column("s_dist_08", Char(24)),
    column("s_dist_09", Char(24)),
    column("s_dist_10", Char(24)),
    column("s_data", Varchar(50)),
];
