//! Errors by SQLSTATE.

use serde::{Deserialize, Serialize};

/// How often an SQLSTATE was met, and how it first read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// Five characters.
    pub sqlstate: String,
    /// How often.
    pub count: u64,
    /// The message of the first.
    pub first_message: String,
}

/// Counts errors by SQLSTATE and keeps the first message of each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorTally(Vec<ErrorCount>);

impl ErrorTally {
    /// A tally without errors.
    pub const fn new() -> ErrorTally {
        ErrorTally(Vec::new())
    }

    /// Counts one error.
    pub fn record(&mut self, sqlstate: &str, message: &str) {
        self.add(sqlstate, 1, message);
    }

    /// Counts so many errors of which the first had this message.
    pub fn add(&mut self, sqlstate: &str, count: u64, first_message: &str) {
        match self.0.iter_mut().find(|e| e.sqlstate == sqlstate) {
            Some(error) => error.count += count,
            None => self.0.push(ErrorCount {
                sqlstate: sqlstate.to_owned(),
                count,
                first_message: first_message.to_owned(),
            }),
        }
    }

    /// Adds the errors of another, whose messages come second.
    pub fn merge(&mut self, other: &ErrorTally) {
        for error in &other.0 {
            self.add(&error.sqlstate, error.count, &error.first_message);
        }
    }

    /// How many errors there are.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|e| e.count).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The errors, the most frequent first.
    pub fn into_counts(mut self) -> Vec<ErrorCount> {
        self.0.sort_by(|a, b| {
            b.count
                .cmp(&a.count)
                .then_with(|| a.sqlstate.cmp(&b.sqlstate))
        });
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_first_message_and_sorts_by_count() {
        let mut tally = ErrorTally::new();
        tally.record("40001", "first");
        let mut other = ErrorTally::new();
        other.record("53300", "too many");
        other.record("40001", "second");
        tally.merge(&other);
        assert_eq!(tally.total(), 3);
        let counts = tally.into_counts();
        assert_eq!(counts[0].sqlstate, "40001");
        assert_eq!(
            (counts[0].count, counts[0].first_message.as_str()),
            (2, "first")
        );
        assert_eq!(counts[1].sqlstate, "53300");
    }
}
