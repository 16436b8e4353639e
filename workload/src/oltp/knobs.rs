//! What can be set of sysbench's scripts: its flags by their names, with `_` for `-`.

use serde::{Deserialize, Serialize};

use super::distribution::{RandType, Shape};

/// The knobs, with sysbench 1.0's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knobs {
    /// Selects of one row by its id.
    pub point_selects: u32,
    /// Selects of a list of ten ids: none in sysbench 1.0, one in the scripts of 2016 with their 19 statements.
    pub in_lists: u32,
    /// Selects of a range of ids.
    pub simple_ranges: u32,
    /// Sums over one.
    pub sum_ranges: u32,
    /// Selects of one that are sorted.
    pub order_ranges: u32,
    /// Selects of the different values of one.
    pub distinct_ranges: u32,
    /// Rows of a range.
    pub range_size: u32,
    /// Updates of the column k, which has an index.
    pub index_updates: u32,
    /// Updates of the column c, which has none.
    pub non_index_updates: u32,
    /// Deletes of a row, each with an insert of the same id.
    pub delete_inserts: u32,
    /// Whether BEGIN and COMMIT are left out.
    pub skip_trx: bool,
    /// How ids are drawn.
    pub rand_type: RandType,
    /// Uniform numbers of which the gaussian and the special distribution take the mean.
    pub rand_spec_iter: u32,
    /// The special distribution's band, in percent of the ids.
    pub rand_spec_pct: u32,
    /// The draws that fall into it, in percent.
    pub rand_spec_res: u32,
    /// Pareto's part of the ids.
    pub rand_pareto_h: f64,
    /// Zipf's exponent.
    pub rand_zipfian_exp: f64,
}

impl Default for Knobs {
    fn default() -> Knobs {
        Knobs {
            point_selects: 10,
            in_lists: 0,
            simple_ranges: 1,
            sum_ranges: 1,
            order_ranges: 1,
            distinct_ranges: 1,
            range_size: 100,
            index_updates: 1,
            non_index_updates: 1,
            delete_inserts: 1,
            skip_trx: false,
            rand_type: RandType::default(),
            rand_spec_iter: 12,
            rand_spec_pct: 1,
            rand_spec_res: 75,
            rand_pareto_h: 0.2,
            rand_zipfian_exp: 0.8,
        }
    }
}

/// The most statements of a kind in a transaction.
const MOST: u32 = 10_000;

/// A knob out of its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{name} is {found}, and {expected} was expected")]
pub struct BadKnob {
    /// Which.
    pub name: &'static str,
    /// What was found.
    pub found: String,
    /// What it may be.
    pub expected: &'static str,
}

impl Knobs {
    /// Whether each is in its range.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), BadKnob> {
        let counts = [
            ("point_selects", self.point_selects),
            ("in_lists", self.in_lists),
            ("simple_ranges", self.simple_ranges),
            ("sum_ranges", self.sum_ranges),
            ("order_ranges", self.order_ranges),
            ("distinct_ranges", self.distinct_ranges),
            ("index_updates", self.index_updates),
            ("non_index_updates", self.non_index_updates),
            ("delete_inserts", self.delete_inserts),
        ];
        let bad = |name, found: String, expected| {
            Err(BadKnob {
                name,
                found,
                expected,
            })
        };
        for (name, count) in counts {
            if count > MOST {
                return bad(name, count.to_string(), "0 to 10000");
            }
        }
        if !(1..=1_000_000).contains(&self.range_size) {
            return bad("range_size", self.range_size.to_string(), "1 to 1000000");
        }
        if !(1..=1_000).contains(&self.rand_spec_iter) {
            return bad(
                "rand_spec_iter",
                self.rand_spec_iter.to_string(),
                "1 to 1000",
            );
        }
        if !(1..=100).contains(&self.rand_spec_pct) {
            return bad("rand_spec_pct", self.rand_spec_pct.to_string(), "1 to 100");
        }
        if self.rand_spec_res > 100 {
            return bad("rand_spec_res", self.rand_spec_res.to_string(), "0 to 100");
        }
        if !(self.rand_pareto_h > 0.0 && self.rand_pareto_h < 1.0) {
            let found = self.rand_pareto_h.to_string();
            return bad("rand_pareto_h", found, "a number between 0 and 1");
        }
        if !(0.0..=100.0).contains(&self.rand_zipfian_exp) {
            let found = self.rand_zipfian_exp.to_string();
            return bad("rand_zipfian_exp", found, "0 to 100");
        }
        Ok(())
    }

    pub(super) fn shape(&self) -> Shape {
        Shape {
            rand_type: self.rand_type,
            spec_iter: self.rand_spec_iter,
            spec_pct: self.rand_spec_pct,
            spec_res: self.rand_spec_res,
            pareto_h: self.rand_pareto_h,
            zipfian_exp: self.rand_zipfian_exp,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_named() {
        assert_eq!(Knobs::default().check(), Ok(()));
        let named = |text: &str| {
            let knobs: Knobs = serde_json::from_str(text).unwrap();
            knobs.check().unwrap_err().name
        };
        assert_eq!(named(r#"{"range_size": 0}"#), "range_size");
        assert_eq!(named(r#"{"point_selects": 10001}"#), "point_selects");
        assert_eq!(named(r#"{"rand_pareto_h": 1.0}"#), "rand_pareto_h");
        assert_eq!(named(r#"{"rand_zipfian_exp": -0.1}"#), "rand_zipfian_exp");
        assert_eq!(named(r#"{"rand_spec_iter": 0}"#), "rand_spec_iter");
        for text in [
            r#"{"point_select": 1}"#,
            r#"{"rand_type": "normal"}"#,
            r#"{"range_size": -1}"#,
        ] {
            assert!(serde_json::from_str::<Knobs>(text).is_err(), "{text}");
        }
    }
}
