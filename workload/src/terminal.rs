//! A terminal of any workload, and what it keys in.

use std::time::Duration;

use crate::kind::Kind;
use crate::script;
use crate::tpcc::{self, TransactionType};

/// A transaction of any workload before it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Of TPC-C, whose statements depend on what others answer.
    Tpcc(tpcc::Input),
    /// Of the others.
    Script(script::Transaction),
}

impl Input {
    /// Its type.
    pub fn kind(&self) -> Kind {
        match self {
            Input::Tpcc(input) => input.transaction_type().into(),
            Input::Script(transaction) => transaction.kind,
        }
    }
}

/// One who keys in one transaction after another.
#[derive(Debug)]
pub enum Terminal {
    /// Of TPC-C.
    Tpcc(tpcc::Terminal),
    /// Of the others.
    Script(Box<dyn script::Terminal>),
}

impl Terminal {
    /// The next transaction.
    pub fn next_input(&mut self) -> Input {
        match self {
            Terminal::Tpcc(terminal) => Input::Tpcc(terminal.next_input()),
            Terminal::Script(terminal) => Input::Script(terminal.next_transaction()),
        }
    }

    /// How long it takes to key a transaction in (clause 5.2.5.2); nothing outside of TPC-C.
    pub fn keying_time(&self, kind: Kind) -> Duration {
        match (self, TransactionType::from_index(kind.index())) {
            (Terminal::Tpcc(terminal), Some(transaction)) => terminal.keying_time(transaction),
            _ => Duration::ZERO,
        }
    }

    /// How long its output is read (clause 5.2.5.4); nothing outside of TPC-C.
    pub fn think_time(&mut self, kind: Kind) -> Duration {
        match (self, TransactionType::from_index(kind.index())) {
            (Terminal::Tpcc(terminal), Some(transaction)) => terminal.think_time(transaction),
            _ => Duration::ZERO,
        }
    }
}
