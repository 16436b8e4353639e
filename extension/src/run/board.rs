//! What the leader and the terminals of a run share.

use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering::*};

use workload::stats::{ErrorCount, ErrorTally, Recorder};

use crate::pg::error::{ServerError, SqlState};

/// About 2.8 MB, nearly all of it the recorder's histograms. All zero is a fresh board.
#[repr(C)]
pub struct RunBoard {
    epoch_unix_us: AtomicI64,
    ramp_up_ended: AtomicU64,
    ramp_up_failed: AtomicU64,
    /// Errors of transactions that failed, ramp-up included.
    pub errors: ErrorBoard,
    /// What the figures are made of.
    pub recorder: Recorder,
}

impl RunBoard {
    /// Lets the terminals go: the run's time counts from here.
    pub fn set_epoch(&self, unix_us: i64) {
        self.epoch_unix_us.store(unix_us, Release);
    }

    /// When the terminals were let go, in microseconds since 1970.
    pub fn epoch(&self) -> Option<i64> {
        Some(self.epoch_unix_us.load(Acquire)).filter(|us| *us != 0)
    }

    /// Counts a transaction that was due before the measuring began.
    pub fn count_ramp_up(&self, ended_well: bool) {
        let counter = if ended_well {
            &self.ramp_up_ended
        } else {
            &self.ramp_up_failed
        };
        counter.fetch_add(1, Relaxed);
    }

    /// Transactions that ended well and transactions that failed, since the terminals were let go.
    pub fn ended_and_failed(&self) -> (u64, u64) {
        let mut ended = self.ramp_up_ended.load(Relaxed);
        let mut failed = self.ramp_up_failed.load(Relaxed);
        for counters in self.recorder.all_counters() {
            ended += counters.committed + counters.rolled_back;
            failed += counters.failed;
        }
        (ended, failed)
    }
}

const KINDS: usize = 32;
const MESSAGE_BYTES: usize = 400;

/// Errors by SQLSTATE, each with its first message. Past 32 kinds they count as `?????`.
#[repr(C)]
pub struct ErrorBoard {
    kinds: [ErrorKind; KINDS],
    others: AtomicU64,
}

#[repr(C)]
struct ErrorKind {
    /// The five bytes of the SQLSTATE and a 1 above them; 0 while the place is free.
    sqlstate: AtomicU64,
    count: AtomicU64,
    message_bytes: AtomicU32,
    message: [AtomicU8; MESSAGE_BYTES],
}

impl ErrorBoard {
    /// Counts an error.
    pub fn record(&self, error: &ServerError) {
        let key = error
            .sqlstate
            .0
            .iter()
            .fold(1, |key, byte| (key << 8) | u64::from(*byte));
        for kind in &self.kinds {
            let found = kind.sqlstate.compare_exchange(0, key, Relaxed, Relaxed);
            if found.is_ok() {
                kind.keep_message(&error.message);
            }
            if found.is_ok() || found == Err(key) {
                kind.count.fetch_add(1, Relaxed);
                return;
            }
        }
        self.others.fetch_add(1, Relaxed);
    }

    /// The kinds so far, the most frequent first.
    pub fn counts(&self) -> Vec<ErrorCount> {
        let mut tally = ErrorTally::new();
        for kind in &self.kinds {
            let count = kind.count.load(Relaxed);
            if count > 0 {
                tally.add(kind.sqlstate().as_str(), count, &kind.message());
            }
        }
        let others = self.others.load(Relaxed);
        if others > 0 {
            tally.add("?????", others, "more kinds of errors than are told apart");
        }
        tally.into_counts()
    }

    /// The first error that was met.
    pub fn first(&self) -> Option<ServerError> {
        let kind = &self.kinds[0];
        (kind.count.load(Relaxed) > 0).then(|| ServerError::new(kind.sqlstate(), kind.message()))
    }
}

impl ErrorKind {
    /// Only the worker that took the place for its SQLSTATE comes here, once.
    fn keep_message(&self, message: &str) {
        let end = message.floor_char_boundary(MESSAGE_BYTES);
        for (to, from) in self.message.iter().zip(message[..end].bytes()) {
            to.store(from, Relaxed);
        }
        self.message_bytes.store(end as u32, Release);
    }

    fn message(&self) -> String {
        let bytes = self.message_bytes.load(Acquire) as usize;
        let text: Vec<u8> = self.message[..bytes]
            .iter()
            .map(|byte| byte.load(Relaxed))
            .collect();
        String::from_utf8_lossy(&text).into_owned()
    }

    fn sqlstate(&self) -> SqlState {
        let key = self.sqlstate.load(Relaxed).to_be_bytes();
        SqlState([key[3], key[4], key[5], key[6], key[7]])
    }
}
