//! The accounts of a branch, as rows.

use super::ACCOUNTS_PER_BRANCH;
use crate::row::ColumnKind::{Char, Int4, Int8};
use crate::row::{Column, ColumnWriter, Record, column};

/// The length of an account's filler.
const FILLER: usize = 84;

const SMALL: &[Column] = &[
    column("aid", Int4),
    column("bid", Int4),
    column("abalance", Int4),
    column("filler", Char(FILLER as u16)),
];
const BIG: &[Column] = &[
    column("aid", Int8),
    column("bid", Int4),
    column("abalance", Int4),
    column("filler", Char(FILLER as u16)),
];

/// A row of pgbench_accounts; `BIG_AID` where its aid is a bigint, from [`FIRST_BIG_SCALE`](super::FIRST_BIG_SCALE) on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account<const BIG_AID: bool> {
    /// 1 to the number of accounts.
    pub aid: i64,
    /// Its branch.
    pub bid: i32,
}

impl<const BIG_AID: bool> Account<BIG_AID> {
    /// Those of a branch, in the order of the key.
    pub fn of(bid: i32) -> impl Iterator<Item = Account<BIG_AID>> {
        let before = i64::from(bid - 1) * ACCOUNTS_PER_BRANCH;
        (1..=ACCOUNTS_PER_BRANCH as i32).map(move |n| Account {
            aid: before + i64::from(n),
            bid,
        })
    }
}

impl<const BIG_AID: bool> Record for Account<BIG_AID> {
    const COLUMNS: &'static [Column] = if BIG_AID { BIG } else { SMALL };

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        if BIG_AID {
            out.int8(self.aid);
        } else {
            out.int4(self.aid as i32);
        }
        out.int4(self.bid);
        out.int4(0);
        out.blanks(FILLER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_follow_each_other() {
        let ends = |bid| {
            let mut accounts = Account::<true>::of(bid);
            let first = accounts.next().map(|account| account.aid);
            (first, accounts.last().map(|account| account.aid))
        };
        assert_eq!(ends(1), (Some(1), Some(100_000)));
        assert_eq!(ends(100_000), (Some(9_999_900_001), Some(10_000_000_000)));
    }
}
