//! The accounts of a branch as PostgreSQL's binary COPY takes them.

use bytes::{BufMut, Bytes, BytesMut};
use workload::tpcb::ACCOUNTS_PER_BRANCH;

/// How much is sent at once, in bytes.
const CHUNK: usize = 64 * 1024;
/// What a row takes at most.
const ROW: usize = 64;
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// The rows of a branch, a chunk at a time, each with its number of rows.
pub(super) struct Accounts {
    buffer: BytesMut,
    next: i64,
    last: i64,
    bid: i32,
    big: bool,
}

impl Accounts {
    /// Of a branch; `big` where aid is an int8.
    pub(super) fn of(bid: i32, big: bool) -> Accounts {
        let last = i64::from(bid) * ACCOUNTS_PER_BRANCH;
        let mut buffer = BytesMut::with_capacity(CHUNK + ROW);
        buffer.put_slice(HEADER);
        Accounts {
            buffer,
            next: last - ACCOUNTS_PER_BRANCH + 1,
            last,
            bid,
            big,
        }
    }
}

impl Iterator for Accounts {
    type Item = (Bytes, u64);

    fn next(&mut self) -> Option<(Bytes, u64)> {
        if self.next > self.last {
            return None;
        }
        self.buffer.reserve(CHUNK + ROW);
        let first = self.next;
        while self.next <= self.last && self.buffer.len() < CHUNK {
            self.buffer.put_i16(4);
            if self.big {
                self.buffer.put_i32(8);
                self.buffer.put_i64(self.next);
            } else {
                self.buffer.put_i32(4);
                self.buffer.put_i32(self.next as i32);
            }
            for number in [self.bid, 0] {
                self.buffer.put_i32(4);
                self.buffer.put_i32(number);
            }
            // The filler is an empty text, which its type pads.
            self.buffer.put_i32(0);
            self.next += 1;
        }
        if self.next > self.last {
            self.buffer.put_i16(-1);
        }
        let rows = (self.next - first) as u64;
        Some((self.buffer.split().freeze(), rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_has_its_accounts() {
        for (big, width) in [(false, 2 + 3 * 8 + 4), (true, 2 + 12 + 2 * 8 + 4)] {
            let chunks: Vec<_> = Accounts::of(3, big).collect();
            let rows: u64 = chunks.iter().map(|(_, rows)| rows).sum();
            let bytes: usize = chunks.iter().map(|(bytes, _)| bytes.len()).sum();
            assert_eq!(rows, 100_000);
            assert_eq!(bytes, HEADER.len() + 100_000 * width + 2);
            assert_eq!(&chunks[0].0[..HEADER.len()], HEADER);
        }
    }
}
