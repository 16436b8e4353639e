//! The inputs of the five transactions, as a terminal keys them in (clauses 2.4.1 to 2.8.1).

use super::ITEMS;
use super::table::Cents;
pub use super::terminal::{HomeWarehouse, Terminal, TerminalConfig, UnknownHomeWarehouse};
use super::text::Text;
use super::transaction::TransactionType;

/// The item that ends an order which is to be rolled back: it is not in the table (clause 2.4.1.5).
pub const UNUSED_ITEM_ID: i32 = ITEMS + 1;

/// A line of a New-Order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderLineInput {
    /// 1..=100000, or [`UNUSED_ITEM_ID`].
    pub i_id: i32,
    /// The warehouse that supplies it: in one line of a hundred another than home.
    pub supply_w_id: i32,
    /// 1..=10.
    pub quantity: i32,
}

/// The input of New-Order (clause 2.4.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOrderInput {
    /// The home warehouse.
    pub w_id: i32,
    /// 1..=10.
    pub d_id: i32,
    /// 1..=3000.
    pub c_id: i32,
    /// 5 to 15 lines; an item may be in more than one.
    pub lines: Vec<OrderLineInput>,
}

impl NewOrderInput {
    /// Whether the last item is unused, so that the order is to be rolled back (clause 2.4.1.4).
    pub fn is_to_be_rolled_back(&self) -> bool {
        self.lines.last().is_some_and(|l| l.i_id == UNUSED_ITEM_ID)
    }

    /// Whether every line is supplied by the home warehouse.
    pub fn is_all_local(&self) -> bool {
        self.lines.iter().all(|l| l.supply_w_id == self.w_id)
    }
}

/// How a customer is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CustomerSelector {
    /// By c_id, 1..=3000.
    ById(i32),
    /// By c_last, which several customers may have: the middle one by c_first is meant.
    ByLastName(Text<16>),
}

impl CustomerSelector {
    /// The id, if that is what is known.
    pub fn c_id(&self) -> Option<i32> {
        match self {
            CustomerSelector::ById(c_id) => Some(*c_id),
            CustomerSelector::ByLastName(_) => None,
        }
    }

    /// The last name, if that is what is known.
    pub fn c_last(&self) -> Option<&str> {
        match self {
            CustomerSelector::ById(_) => None,
            CustomerSelector::ByLastName(name) => Some(name.as_str()),
        }
    }
}

/// The input of Payment (clause 2.5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentInput {
    /// The home warehouse, which is paid.
    pub w_id: i32,
    /// The district that is paid, 1..=10.
    pub d_id: i32,
    /// The customer's warehouse: in 15 of a hundred payments another than home.
    pub c_w_id: i32,
    /// The customer's district.
    pub c_d_id: i32,
    /// The customer: by last name in 60 of a hundred payments.
    pub customer: CustomerSelector,
    /// 1.00 to 5000.00.
    pub amount: Cents,
}

/// The input of Order-Status (clause 2.6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderStatusInput {
    /// The home warehouse.
    pub w_id: i32,
    /// 1..=10.
    pub d_id: i32,
    /// The customer: by last name in 60 of a hundred cases.
    pub customer: CustomerSelector,
}

/// The input of Delivery (clause 2.7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryInput {
    /// The home warehouse.
    pub w_id: i32,
    /// 1..=10.
    pub carrier_id: i32,
}

/// The input of Stock-Level (clause 2.8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StockLevelInput {
    /// The home warehouse.
    pub w_id: i32,
    /// The terminal's own district.
    pub d_id: i32,
    /// 10..=20.
    pub threshold: i32,
}

/// The input of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// New-Order.
    NewOrder(NewOrderInput),
    /// Payment.
    Payment(PaymentInput),
    /// Order-Status.
    OrderStatus(OrderStatusInput),
    /// Delivery.
    Delivery(DeliveryInput),
    /// Stock-Level.
    StockLevel(StockLevelInput),
}

impl Input {
    /// The type of the transaction.
    pub fn transaction_type(&self) -> TransactionType {
        match self {
            Input::NewOrder(_) => TransactionType::NewOrder,
            Input::Payment(_) => TransactionType::Payment,
            Input::OrderStatus(_) => TransactionType::OrderStatus,
            Input::Delivery(_) => TransactionType::Delivery,
            Input::StockLevel(_) => TransactionType::StockLevel,
        }
    }

    /// The home warehouse of the transaction.
    pub fn w_id(&self) -> i32 {
        match self {
            Input::NewOrder(input) => input.w_id,
            Input::Payment(input) => input.w_id,
            Input::OrderStatus(input) => input.w_id,
            Input::Delivery(input) => input.w_id,
            Input::StockLevel(input) => input.w_id,
        }
    }
}
