//! The workloads of pg_tpcc as pure Rust: what the data and the transactions are ([`tpcc`], [`scan`]), how
//! they are counted ([`stats`]) and tried again ([`retry`]), and what a result looks like ([`result`]).
//!
//! No I/O and no clock in here: everything follows from its arguments, so that the
//! extension, the client and the tests share one set of rules.

mod kind;
pub mod oltp;
pub mod result;
pub mod retry;
pub mod row;
pub mod scan;
pub mod schema;
pub mod script;
pub mod stats;
mod terminal;
pub mod tpcb;
pub mod tpcc;
mod words;

pub use kind::{Headline, Kind, MAX_KINDS, WORKLOADS, Workload};
pub use terminal::{Input, Terminal};
pub use tpcc::TransactionType;
pub use words::counted;
