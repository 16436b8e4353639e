//! TPC-B as pgbench has it: its four tables, its three builtin scripts, and their inputs.

mod account;
mod share;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::kind::{Headline, Workload};
use crate::script::{Routine, Script, Statement, Step, Terminal, Transaction, Type, Value};
use crate::tpcc::{Rng, Stream};

pub use account::Account;
pub use share::{Builtin, Share, Shares, UnknownBuiltin};

/// What it is to those who count.
pub static WORKLOAD: Workload = Workload {
    name: "tpcb",
    transactions: &["tpcb-like", "simple-update", "select-only"],
    headline: Headline::PerSecond,
    conflicts: &[],
    script: Some(|mix, parameters| {
        Some(Arc::new(Tpcb {
            scale: parameters.get("scale")?.as_i64()?.try_into().ok()?,
            shares: mix.parse().ok()?,
        }))
    }),
};

/// Its tables.
pub const TABLES: [&str; 4] = [
    "pgbench_accounts",
    "pgbench_branches",
    "pgbench_history",
    "pgbench_tellers",
];

/// Accounts of a branch: a scale of one.
pub const ACCOUNTS_PER_BRANCH: i64 = 100_000;
/// Tellers of a branch.
pub const TELLERS_PER_BRANCH: i64 = 10;
/// The largest scale.
pub const MOST_BRANCHES: i32 = 100_000;
/// From this scale on an account's number does not fit int4 any more, and pgbench makes it an int8.
pub const FIRST_BIG_SCALE: i32 = 20_000;
/// What a transaction changes a balance by at most.
const MOST_DELTA: u64 = 5_000;

const UPDATE_ACCOUNT: usize = 0;
const ACCOUNT: usize = 1;
const UPDATE_TELLER: usize = 2;
const UPDATE_BRANCH: usize = 3;
const INSERT_HISTORY: usize = 4;

const STATEMENTS: [Statement; 5] = [
    Statement {
        sql: include_str!("../../../sql/tpcb/update_account.sql"),
        types: &[Type::Int8, Type::Int4],
        writes: true,
        must: Some("account"),
    },
    Statement {
        sql: include_str!("../../../sql/tpcb/account.sql"),
        types: &[Type::Int8],
        writes: false,
        must: Some("account"),
    },
    Statement {
        sql: include_str!("../../../sql/tpcb/update_teller.sql"),
        types: &[Type::Int4, Type::Int4],
        writes: true,
        must: Some("teller"),
    },
    Statement {
        sql: include_str!("../../../sql/tpcb/update_branch.sql"),
        types: &[Type::Int4, Type::Int4],
        writes: true,
        must: Some("branch"),
    },
    Statement {
        sql: include_str!("../../../sql/tpcb/insert_history.sql"),
        types: &[Type::Int4, Type::Int4, Type::Int8, Type::Int4],
        writes: true,
        must: None,
    },
];

const CALLS: [Statement; 3] = [
    Statement {
        sql: include_str!("../../../sql/tpcb/call_tpcb_like.sql"),
        types: &[Type::Int8, Type::Int4, Type::Int4, Type::Int4],
        writes: true,
        must: None,
    },
    Statement {
        sql: include_str!("../../../sql/tpcb/call_simple_update.sql"),
        types: &[Type::Int8, Type::Int4, Type::Int4, Type::Int4],
        writes: true,
        must: None,
    },
    Statement {
        sql: include_str!("../../../sql/tpcb/call_select_only.sql"),
        types: &[Type::Int8],
        writes: false,
        must: Some("account"),
    },
];

/// What is installed for mode udf.
pub const ROUTINES: [Routine; 3] = [
    Routine {
        name: Cow::Borrowed("tpcb_like"),
        template: Cow::Borrowed(include_str!("../../../sql/tpcb/functions/tpcb_like.sql")),
    },
    Routine {
        name: Cow::Borrowed("tpcb_simple_update"),
        template: Cow::Borrowed(include_str!(
            "../../../sql/tpcb/functions/tpcb_simple_update.sql"
        )),
    },
    Routine {
        name: Cow::Borrowed("tpcb_select_only"),
        template: Cow::Borrowed(include_str!(
            "../../../sql/tpcb/functions/tpcb_select_only.sql"
        )),
    },
];

/// A run on tables of a scale.
#[derive(Debug, Clone)]
pub struct Tpcb {
    /// Branches.
    pub scale: i32,
    /// What is drawn.
    pub shares: Shares,
}

impl Script for Tpcb {
    fn workload(&self) -> &'static Workload {
        &WORKLOAD
    }

    fn statements(&self) -> &'static [Statement] {
        &STATEMENTS
    }

    fn calls(&self) -> &'static [Statement] {
        &CALLS
    }

    fn routines(&self) -> Vec<Routine> {
        ROUTINES.into()
    }

    fn call(&self, transaction: &Transaction) -> Vec<Value> {
        let of = |statement: usize| {
            transaction
                .steps
                .iter()
                .find(|step| step.statement == statement)
                .map_or(&[] as &[Value], |step| &step.values)
        };
        match of(INSERT_HISTORY) {
            // (tid, bid, aid, delta) in the table's order, (aid, bid, tid, delta) in pgbench's.
            [tid, bid, aid, delta] => vec![aid.clone(), bid.clone(), tid.clone(), delta.clone()],
            _ => of(ACCOUNT).to_vec(),
        }
    }

    fn tables(&self) -> Vec<String> {
        Vec::new()
    }

    fn relations(&self) -> Vec<String> {
        TABLES.map(str::to_owned).into()
    }

    fn run_arguments(&self) -> Vec<(&'static str, String)> {
        vec![("builtin", self.shares.to_string())]
    }

    fn mix(&self) -> String {
        self.shares.to_string()
    }

    fn size(&self) -> String {
        format!("scale {}", self.scale)
    }

    fn parameters(&self) -> BTreeMap<String, Json> {
        BTreeMap::from([("scale".to_owned(), Json::from(self.scale))])
    }

    fn terminal(&self, seed: i64, terminal: u32, _terminals: u32) -> Box<dyn Terminal> {
        Box::new(TpcbTerminal {
            rng: Rng::keyed(seed, Stream::Terminal, u64::from(terminal)),
            scale: self.scale,
            shares: self.shares.clone(),
        })
    }
}

/// One who draws accounts, tellers and branches, each at random and independent of the others.
#[derive(Debug)]
struct TpcbTerminal {
    rng: Rng,
    scale: i32,
    shares: Shares,
}

impl TpcbTerminal {
    /// 1 to `n`.
    fn one_of(&mut self, n: i64) -> Value {
        Value::Int(self.rng.below(n as u64) as i64 + 1)
    }
}

impl Terminal for TpcbTerminal {
    fn next_transaction(&mut self) -> Transaction {
        let builtin = self.shares.draw(&mut self.rng);
        let scale = i64::from(self.scale);
        let aid = self.one_of(scale * ACCOUNTS_PER_BRANCH);
        let step = |statement, values: &[&Value]| Step {
            statement,
            table: 0,
            values: values.iter().map(|value| (*value).clone()).collect(),
        };
        let kind = WORKLOAD.kind(builtin as usize);
        if builtin == Builtin::SelectOnly {
            return Transaction {
                kind,
                steps: vec![step(ACCOUNT, &[&aid])],
                in_block: false,
            };
        }
        let bid = self.one_of(scale);
        let tid = self.one_of(scale * TELLERS_PER_BRANCH);
        let delta = self.rng.below(2 * MOST_DELTA + 1) as i64 - MOST_DELTA as i64;
        let delta = Value::Int(delta);
        let mut steps = vec![
            step(UPDATE_ACCOUNT, &[&aid, &delta]),
            step(ACCOUNT, &[&aid]),
        ];
        if builtin == Builtin::TpcbLike {
            steps.push(step(UPDATE_TELLER, &[&tid, &delta]));
            steps.push(step(UPDATE_BRANCH, &[&bid, &delta]));
        }
        steps.push(step(INSERT_HISTORY, &[&tid, &bid, &aid, &delta]));
        Transaction {
            kind,
            steps,
            in_block: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tpcb(shares: &str) -> Tpcb {
        Tpcb {
            scale: 3,
            shares: shares.parse().unwrap(),
        }
    }

    #[test]
    fn a_transaction_is_pgbenchs() {
        let tpcb = tpcb("tpcb-like");
        let mut terminal = tpcb.terminal(1, 0, 1);
        for _ in 0..1_000 {
            let transaction = terminal.next_transaction();
            assert_eq!(transaction.steps.len(), 5);
            let [
                Value::Int(aid),
                Value::Int(bid),
                Value::Int(tid),
                Value::Int(delta),
            ] = tpcb.call(&transaction)[..]
            else {
                panic!("four numbers");
            };
            assert!((1..=300_000).contains(&aid) && (1..=3).contains(&bid));
            assert!((1..=30).contains(&tid) && (-5_000..=5_000).contains(&delta));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_transactions() {
        let draw = |seed| {
            let tpcb = tpcb("tpcb-like@1,select-only@2");
            let mut terminal = tpcb.terminal(seed, 1, 2);
            (0..50)
                .map(|_| terminal.next_transaction())
                .collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn a_select_is_no_block() {
        let transaction = tpcb("select-only").terminal(1, 0, 1).next_transaction();
        assert!(!transaction.in_block);
        assert_eq!(tpcb("select-only").call(&transaction).len(), 1);
    }
}
