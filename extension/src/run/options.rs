//! What the caller of `tpcc_run` asked for.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use workload::Workload;
use workload::script::Script;
use workload::tpcc::{HomeWarehouse, Mix};

use crate::pg::error::{Result, ServerError, SqlState};

/// A run as asked for, checked as far as that goes without looking at the data.
pub struct Options {
    /// How long is measured, in seconds.
    pub duration_s: f64,
    /// How long the run goes on before, in seconds.
    pub ramp_up_s: f64,
    /// Terminals; none for a number that suits the machine.
    pub workers: Option<usize>,
    /// Schema of the data.
    pub schema: String,
    /// What is run.
    pub task: Task,
    /// Transactions due a second, over all terminals.
    pub rate: Option<f64>,
    /// Whether the terminals wait for keying and think times (clause 5.2.5).
    pub keying_thinking: bool,
    /// The isolation level as SQL spells it.
    pub isolation: String,
    /// Seed of the inputs; none for any.
    pub seed: Option<i64>,
    /// Seconds between two lines of progress; 0 for none.
    pub report_interval_s: f64,
}

/// What is run.
pub enum Task {
    /// TPC-C.
    Tpcc {
        /// Shares of the transaction types.
        mix: Mix,
        /// Whether each terminal keeps one warehouse.
        home_warehouse: HomeWarehouse,
    },
    /// A workload whose statements are known beforehand.
    Script(Arc<dyn Script>),
}

impl Task {
    /// What it is to those who count.
    pub fn workload(&self) -> &'static Workload {
        match self {
            Task::Tpcc { .. } => &workload::tpcc::WORKLOAD,
            Task::Script(script) => script.workload(),
        }
    }
}

const ISOLATION_LEVELS: [&str; 3] = ["read committed", "repeatable read", "serializable"];
const MONTH_S: f64 = 30.0 * 86_400.0;

impl Options {
    /// The same when it makes sense.
    ///
    /// # Errors
    /// 22023 with the value that does not, and what would.
    pub fn checked(mut self) -> Result<Self> {
        within("duration", "seconds", self.duration_s, 0.1..=MONTH_S)?;
        within("ramp_up", "seconds", self.ramp_up_s, 0.0..=MONTH_S)?;
        within(
            "report_interval",
            "seconds",
            self.report_interval_s,
            0.0..=MONTH_S,
        )?;
        if self.report_interval_s > 0.0 {
            within(
                "report_interval",
                "seconds",
                self.report_interval_s,
                0.1..=MONTH_S,
            )?;
        }
        if let Some(rate) = self.rate {
            within("rate", "transactions a second", rate, 0.001..=10_000_000.0)?;
            if self.keying_thinking {
                return Err(ServerError::new(
                    SqlState::INVALID_VALUE,
                    "rate and keying_thinking are two paces: one of them was expected",
                ));
            }
        }
        if self.workers == Some(0) {
            return Err(ServerError::new(
                SqlState::INVALID_VALUE,
                "workers is 0: 1 or more were expected",
            ));
        }
        self.isolation = self
            .isolation
            .trim()
            .to_lowercase()
            .replace(['_', '-'], " ");
        if !ISOLATION_LEVELS.contains(&self.isolation.as_str()) {
            return Err(ServerError::new(
                SqlState::INVALID_VALUE,
                format!(
                    "isolation is \"{}\": one of {} was expected",
                    self.isolation,
                    ISOLATION_LEVELS
                        .map(|level| format!("\"{level}\""))
                        .join(", ")
                ),
            ));
        }
        Ok(self)
    }
}

fn within(name: &str, unit: &str, value: f64, range: RangeInclusive<f64>) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(ServerError::new(
        SqlState::INVALID_VALUE,
        format!(
            "{name} is {value}: {} to {} {unit} were expected",
            range.start(),
            range.end()
        ),
    ))
}

/// An argument that is read from text.
///
/// # Errors
/// 22023 with what the type says about it.
pub fn parse<T: FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T> {
    text.parse()
        .map_err(|error: T::Err| ServerError::new(SqlState::INVALID_VALUE, error.to_string()))
}
