//! The knobs of sysbench's scripts as flags, with sysbench's names and defaults.

use clap::{Args, ValueEnum};
use workload::oltp::{Knobs, RandType};

use super::super::CliError;

/// How ids are drawn.
#[derive(Debug, Args)]
#[command(next_help_heading = "Distribution")]
pub(super) struct RandFlags {
    /// How ids are drawn: uniform, gaussian, special, pareto or zipfian
    #[arg(long, value_name = "NAME", default_value = "special")]
    rand_type: RandType,
    /// Uniform numbers of which gaussian and special take the mean
    #[arg(long, value_name = "N", default_value_t = 12)]
    rand_spec_iter: u32,
    /// The band of special, in percent of the ids
    #[arg(long, value_name = "PERCENT", default_value_t = 1)]
    rand_spec_pct: u32,
    /// The draws of special that fall into its band, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 75)]
    rand_spec_res: u32,
    /// The part of the ids to which pareto gives the rest of the draws
    #[arg(long, value_name = "H", default_value_t = 0.2)]
    rand_pareto_h: f64,
    /// The exponent of zipfian
    #[arg(long, value_name = "S", default_value_t = 0.8)]
    rand_zipfian_exp: f64,
}

impl RandFlags {
    /// Knobs with this distribution.
    pub(super) fn knobs(&self) -> Result<Knobs, CliError> {
        self.of(Knobs::default())
    }

    fn of(&self, knobs: Knobs) -> Result<Knobs, CliError> {
        let knobs = Knobs {
            rand_type: self.rand_type,
            rand_spec_iter: self.rand_spec_iter,
            rand_spec_pct: self.rand_spec_pct,
            rand_spec_res: self.rand_spec_res,
            rand_pareto_h: self.rand_pareto_h,
            rand_zipfian_exp: self.rand_zipfian_exp,
            ..knobs
        };
        let usage = |error: workload::oltp::BadKnob| {
            let flag = error.name.replace('_', "-");
            CliError::Usage(format!(
                "--{flag} is {}, and {} was expected",
                error.found, error.expected
            ))
        };
        knobs.check().map_err(usage)?;
        Ok(knobs)
    }
}

/// On or off, as sysbench has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

/// What a transaction consists of.
#[derive(Debug, Args)]
#[command(next_help_heading = "Transaction")]
pub(super) struct KnobFlags {
    /// Selects of one row by its id
    #[arg(long, value_name = "N", default_value_t = 10)]
    point_selects: u32,
    /// Selects of ten ids in a list: 1 makes the 19 statements of sysbench 0.5's days, 0 those of sysbench 1.0
    #[arg(long, value_name = "N", default_value_t = 0)]
    in_lists: u32,
    /// Whether there are selects of ranges
    #[arg(long, value_name = "SWITCH", default_value = "on", num_args = 0..=1, default_missing_value = "on")]
    range_selects: Switch,
    /// Selects of a range of ids
    #[arg(long, value_name = "N", default_value_t = 1)]
    simple_ranges: u32,
    /// Sums over a range
    #[arg(long, value_name = "N", default_value_t = 1)]
    sum_ranges: u32,
    /// Selects of a range, sorted
    #[arg(long, value_name = "N", default_value_t = 1)]
    order_ranges: u32,
    /// Selects of the different values of a range
    #[arg(long, value_name = "N", default_value_t = 1)]
    distinct_ranges: u32,
    /// Rows of a range
    #[arg(long, value_name = "ROWS", default_value_t = 100)]
    range_size: u32,
    /// Updates of k, which has an index
    #[arg(long, value_name = "N", default_value_t = 1)]
    index_updates: u32,
    /// Updates of c, which has none
    #[arg(long, value_name = "N", default_value_t = 1)]
    non_index_updates: u32,
    /// Deletes of a row, each with an insert of the same id
    #[arg(long, value_name = "N", default_value_t = 1)]
    delete_inserts: u32,
    /// Leave BEGIN and COMMIT out
    #[arg(long, value_name = "SWITCH", default_value = "off", num_args = 0..=1, default_missing_value = "on")]
    skip_trx: Switch,
    #[command(flatten)]
    rand: RandFlags,
}

impl KnobFlags {
    /// The knobs, each in its range.
    pub(super) fn knobs(&self) -> Result<Knobs, CliError> {
        let range = |count| match self.range_selects {
            Switch::On => count,
            Switch::Off => 0,
        };
        self.rand.of(Knobs {
            point_selects: self.point_selects,
            in_lists: self.in_lists,
            simple_ranges: range(self.simple_ranges),
            sum_ranges: range(self.sum_ranges),
            order_ranges: range(self.order_ranges),
            distinct_ranges: range(self.distinct_ranges),
            range_size: self.range_size,
            index_updates: self.index_updates,
            non_index_updates: self.non_index_updates,
            delete_inserts: self.delete_inserts,
            skip_trx: self.skip_trx == Switch::On,
            ..Knobs::default()
        })
    }
}
