//! The units of a load.

use crate::tpcc::Table;

/// A part of a warehouse that is loaded in one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The orders and what hangs on them.
    Orders,
    /// The stock.
    Stock,
    /// The customers and their history.
    Customers,
    /// The districts and the warehouse itself, which make it whole: loaded after the other parts.
    Whole,
}

impl Part {
    /// The parts that may be loaded in any order.
    pub const FREE: [Part; 3] = [Part::Orders, Part::Stock, Part::Customers];

    /// Its name in `tpcc_load_part`.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Orders => "orders",
            Part::Stock => "stock",
            Part::Customers => "customers",
            Part::Whole => "warehouse",
        }
    }

    /// The part of a name.
    pub fn named(name: &str) -> Option<Part> {
        Part::FREE.into_iter().find(|part| part.name() == name)
    }

    /// The tables it fills.
    pub const fn tables(self) -> &'static [Table] {
        match self {
            Part::Orders => &[Table::OrderLine, Table::Orders, Table::NewOrder],
            Part::Stock => &[Table::Stock],
            Part::Customers => &[Table::Customer, Table::History],
            Part::Whole => &[Table::Warehouse, Table::District],
        }
    }
}
