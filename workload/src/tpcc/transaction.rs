//! The five transaction types.

use std::fmt;
use std::str::FromStr;

use crate::kind::{Headline, Kind, Workload};

/// A transaction type of TPC-C (clauses 2.4 to 2.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TransactionType {
    /// An order of 5 to 15 lines is entered (clause 2.4).
    NewOrder,
    /// A customer pays (clause 2.5).
    Payment,
    /// A customer's newest order is shown; read only (clause 2.6).
    OrderStatus,
    /// The oldest open order of each district is delivered (clause 2.7).
    Delivery,
    /// Recently sold items that run short are counted; read only (clause 2.8).
    StockLevel,
}

impl TransactionType {
    /// How many types there are.
    pub const COUNT: usize = 5;

    /// All types in the standard's order, which is also the order of [`TransactionType::index`].
    pub const ALL: [TransactionType; Self::COUNT] = [
        TransactionType::NewOrder,
        TransactionType::Payment,
        TransactionType::OrderStatus,
        TransactionType::Delivery,
        TransactionType::StockLevel,
    ];

    /// The name used in SQL, on the command line and in result documents.
    pub const fn name(self) -> &'static str {
        match self {
            TransactionType::NewOrder => "new_order",
            TransactionType::Payment => "payment",
            TransactionType::OrderStatus => "order_status",
            TransactionType::Delivery => "delivery",
            TransactionType::StockLevel => "stock_level",
        }
    }

    /// The place in [`TransactionType::ALL`], from 0.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The type at a place of [`TransactionType::ALL`].
    pub fn from_index(index: usize) -> Option<TransactionType> {
        Self::ALL.get(index).copied()
    }
}

/// What TPC-C is to those who count.
pub static WORKLOAD: Workload = Workload {
    name: "tpcc",
    transactions: &[
        TransactionType::NewOrder.name(),
        TransactionType::Payment.name(),
        TransactionType::OrderStatus.name(),
        TransactionType::Delivery.name(),
        TransactionType::StockLevel.name(),
    ],
    headline: Headline::PerMinute(TransactionType::NewOrder.index(), "new orders/min"),
    conflicts: &[],
    script: None,
};

impl From<TransactionType> for Kind {
    fn from(transaction: TransactionType) -> Kind {
        WORKLOAD.kind(transaction.index())
    }
}

impl fmt::Display for TransactionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is none of the five transaction types.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown transaction type \"{0}\" (known: new_order, payment, order_status, delivery, stock_level)"
)]
pub struct UnknownTransactionType(pub String);

impl FromStr for TransactionType {
    type Err = UnknownTransactionType;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|t| t.name() == name)
            .ok_or_else(|| UnknownTransactionType(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_is_the_place_in_all() {
        for (i, t) in TransactionType::ALL.into_iter().enumerate() {
            assert_eq!(t.index(), i);
            assert_eq!(TransactionType::from_index(i), Some(t));
            assert_eq!(t.name().parse(), Ok(t));
        }
        assert_eq!(TransactionType::from_index(5), None);
        assert!("neworder".parse::<TransactionType>().is_err());
    }
}
