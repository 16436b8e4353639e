//! The accounts of pgbench's tables, written straight into the heap.

use workload::row::Record;
use workload::tpcb::{ACCOUNTS_PER_BRANCH, Account, MOST_BRANCHES};

use crate::pg::bulk::{Buffers, BulkWriter};
use crate::pg::error::{Result, ServerError, SqlState};

/// Bytes of an account in the heap.
const ACCOUNT_BYTES: u64 = 8192 / 61;

/// Writes the accounts of a branch in the caller's transaction; gives their number.
///
/// # Errors
/// 22023 where `bid` is none, and those of [`BulkWriter::open`].
pub fn write_accounts(schema: &str, bid: i32, big_aid: bool) -> Result<u64> {
    if !(1..=MOST_BRANCHES).contains(&bid) {
        return Err(ServerError::new(
            SqlState::INVALID_VALUE,
            format!("branch {bid} was asked for, and a branch is 1 to {MOST_BRANCHES}"),
        ));
    }
    if big_aid {
        write(schema, bid, Account::<true>::of(bid))
    } else {
        write(schema, bid, Account::<false>::of(bid))
    }
}

fn write<R: Record>(schema: &str, bid: i32, accounts: impl Iterator<Item = R>) -> Result<u64> {
    // A load goes from the first branch to the last: so much is there, or about to be.
    let buffers = Buffers::for_size(bid as u64 * ACCOUNTS_PER_BRANCH as u64 * ACCOUNT_BYTES);
    let mut writer = BulkWriter::open(schema, "pgbench_accounts", buffers)?;
    for account in accounts {
        writer.push(&account);
    }
    Ok(writer.finish())
}
