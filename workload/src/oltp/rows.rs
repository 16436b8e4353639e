//! sysbench's rows.

use super::Knobs;
use super::distribution::Sampler;
use crate::row::ColumnKind::{Char, Int4};
use crate::row::{Column, ColumnWriter, Record, column};
use crate::tpcc::{Rng, Stream};

/// The length of a group of digits.
const GROUP: usize = 11;
/// The length of the text in c: ten groups, and a hyphen between two.
pub const C_LENGTH: usize = 10 * (GROUP + 1) - 1;
/// The length of the text in pad: five groups.
pub const PAD_LENGTH: usize = 5 * (GROUP + 1) - 1;
/// The types of c and pad are a character longer, which is a blank.
const C_TYPE: usize = C_LENGTH + 1;
const PAD_TYPE: usize = PAD_LENGTH + 1;

/// A row of one of sysbench's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SbtestRow {
    /// 1 to the size of the table.
    pub id: i32,
    /// Another of these numbers, by the distribution of the load.
    pub k: i32,
    /// Digits.
    c: [u8; C_TYPE],
    /// Digits.
    pad: [u8; PAD_TYPE],
}

impl Record for SbtestRow {
    const COLUMNS: &'static [Column] = &[
        column("id", Int4),
        column("k", Int4),
        column("c", Char(C_TYPE as u16)),
        column("pad", Char(PAD_TYPE as u16)),
    ];

    #[inline]
    fn write(&self, out: &mut impl ColumnWriter) {
        out.int4(self.id);
        out.int4(self.k);
        out.text(&self.c);
        out.text(&self.pad);
    }
}

/// The rows of a table, which the seed and the knobs of the distribution determine.
#[derive(Debug, Clone)]
pub struct SbtestRows {
    seed: i64,
    sampler: Sampler,
}

impl SbtestRows {
    /// Of tables of so many rows.
    pub fn new(seed: i64, table_size: i32, knobs: &Knobs) -> SbtestRows {
        SbtestRows {
            seed,
            sampler: Sampler::new(knobs.shape(), table_size as u64),
        }
    }

    /// Rows `first` to `last` of the table of a number.
    pub fn of(&self, table: u32, first: i32, last: i32) -> impl Iterator<Item = SbtestRow> {
        (first..=last).map(move |id| {
            let key = (u64::from(table) << 32) | id as u64;
            let mut rng = Rng::keyed(self.seed, Stream::Sbtest, key);
            let mut row = SbtestRow {
                id,
                k: self.sampler.draw(&mut rng) as i32,
                c: [b' '; C_TYPE],
                pad: [b' '; PAD_TYPE],
            };
            fill(&mut rng, &mut row.c[..C_LENGTH]);
            fill(&mut rng, &mut row.pad[..PAD_LENGTH]);
            row
        })
    }
}

/// Fills with groups of digits.
fn fill(rng: &mut Rng, out: &mut [u8]) {
    for group in out.chunks_mut(GROUP + 1) {
        // Below 10^11, in which a draw of 64 bits leaves no digit out that could be seen.
        let mut rest = rng.below(100_000_000_000);
        for digit in group[..GROUP].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        if let Some(hyphen) = group.get_mut(GROUP) {
            *hyphen = b'-';
        }
    }
}

/// A new text for the column c.
pub(super) fn c(rng: &mut Rng) -> String {
    text(rng, C_LENGTH)
}

/// A new text for the column pad.
pub(super) fn pad(rng: &mut Rng) -> String {
    text(rng, PAD_LENGTH)
}

fn text(rng: &mut Rng, length: usize) -> String {
    let mut bytes = vec![b' '; length];
    fill(rng, &mut bytes);
    bytes.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_groups_of_digits() {
        let mut rng = Rng::keyed(1, Stream::Caller, 0);
        for (text, groups) in [(c(&mut rng), 10), (pad(&mut rng), 5)] {
            let found: Vec<&str> = text.split('-').collect();
            assert_eq!(found.len(), groups, "{text}");
            for group in found {
                assert_eq!(group.len(), 11, "{text}");
                assert!(group.bytes().all(|b| b.is_ascii_digit()), "{text}");
            }
        }
    }

    #[test]
    fn a_row_is_the_same_whoever_makes_it() {
        let rows = SbtestRows::new(1, 1_000, &Knobs::default());
        let all: Vec<_> = rows.of(3, 1, 1_000).collect();
        let some: Vec<_> = rows.of(3, 501, 510).collect();
        assert_eq!(all[500..510], some);
        assert_ne!(rows.of(4, 1, 1).next(), rows.of(3, 1, 1).next());
        assert!(all.iter().all(|row| (1..=1_000).contains(&row.k)));
    }

    #[test]
    fn every_digit_is_as_frequent_as_any_other() {
        let rows = SbtestRows::new(1, 2_000, &Knobs::default());
        let mut counts = [0u32; 10];
        for row in rows.of(1, 1, 2_000) {
            for digit in row.c.iter().filter(|b| b.is_ascii_digit()) {
                counts[usize::from(digit - b'0')] += 1;
            }
        }
        let expected = 2_000.0 * 110.0 / 10.0;
        let chi: f64 = counts
            .iter()
            .map(|count| (f64::from(*count) - expected).powi(2) / expected)
            .sum();
        assert!(chi < 21.7, "{counts:?}");
    }
}
