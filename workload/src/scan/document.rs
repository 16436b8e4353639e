//! The result document of a scan, and the one owner of its format.

use serde::{Deserialize, Serialize};

use super::Run;
use crate::result::{FormatError, Header};

/// What every document of a scan says it is.
pub const FORMAT_NAME: &str = "pg_tpcc scan result";
/// The version of the format.
pub const FORMAT_VERSION: u32 = 1;

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanConfig {
    /// The schema of the table.
    pub schema: String,
    /// The degrees, the first of them 0.
    pub degrees: Vec<u32>,
    /// Executions a degree.
    pub runs: u32,
}

/// The server and the table that were measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanServer {
    /// As server_version has it.
    pub version: String,
    /// max_worker_processes: how many workers the server can have.
    pub max_worker_processes: u32,
    /// max_parallel_workers, as it was before the run.
    pub max_parallel_workers: u32,
    /// parallel_leader_participation: whether the session scans along with its workers.
    pub leader_participates: bool,
    /// shared_buffers, with its unit.
    pub shared_buffers: String,
    /// Rows of the table.
    pub rows: u64,
    /// The seed of the rows.
    pub seed: i64,
    /// Whether the table is unlogged.
    pub unlogged: bool,
    /// The size of the table in bytes.
    pub bytes: u64,
    /// How many rows match, as they were counted from the seed while the table was loaded.
    pub matching: u64,
}

/// A degree that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Workers that were asked for.
    pub degree: u32,
    /// Processes that scan: the workers, and the session itself if it takes part.
    pub processes: u32,
    /// Each execution.
    pub runs: Vec<Run>,
    /// The median of their times, in milliseconds.
    pub median_ms: f64,
    /// How many times as fast as degree 0; none where workers were missing.
    pub speed_up: Option<f64>,
    /// The speed-up over the processes: 1 where each adds its whole worth.
    pub efficiency: Option<f64>,
}

impl Step {
    /// A degree's step. `serial_ms` is the median of degree 0, none for degree 0 itself.
    ///
    /// # Panics
    /// Without runs.
    pub fn new(degree: u32, runs: Vec<Run>, serial_ms: Option<f64>, leader: bool) -> Step {
        let median_ms = median(runs.iter().map(|run| run.ms).collect());
        let mut step = Step {
            degree,
            processes: if degree == 0 {
                1
            } else {
                degree + u32::from(leader)
            },
            runs,
            median_ms,
            speed_up: None,
            efficiency: None,
        };
        if step.is_complete() {
            let speed_up = serial_ms.unwrap_or(median_ms) / median_ms;
            step.speed_up = Some(speed_up);
            step.efficiency = Some(speed_up / f64::from(step.processes));
        }
        step
    }

    /// Whether every run had all the workers that were asked for.
    pub fn is_complete(&self) -> bool {
        self.runs.iter().all(|run| run.launched >= self.degree)
    }

    /// The fewest workers that a run was planned with.
    pub fn planned(&self) -> u32 {
        self.runs.iter().map(|run| run.planned).min().unwrap_or(0)
    }

    /// The fewest workers that a run had.
    pub fn launched(&self) -> u32 {
        self.runs.iter().map(|run| run.launched).min().unwrap_or(0)
    }
}

/// The middle one of the times, or the mean of the two in the middle.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    let half = times.len() / 2;
    match times.len() % 2 {
        1 => times[half],
        _ => (times[half - 1] + times[half]) / 2.0,
    }
}

/// The serial share s of Amdahl's law, T(p) = T(1) (s + (1 - s) / p), that fits best (least squares) for the
/// degrees that had all their workers; none without such a degree. Below 0 where more processes did better than
/// their number.
pub fn serial_share(steps: &[Step]) -> Option<f64> {
    let (mut above, mut below) = (0.0, 0.0);
    for step in steps {
        let Some(speed_up) = step.speed_up else {
            continue;
        };
        let alone = 1.0 / f64::from(step.processes);
        above += (1.0 / speed_up - alone) * (1.0 - alone);
        below += (1.0 - alone).powi(2);
    }
    (below > 0.0).then_some(above / below)
}

/// What is kept of a scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScanDocument {
    /// [`FORMAT_NAME`].
    pub format: String,
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// The program that wrote it, with its version.
    pub written_by: String,
    /// When the measuring began, RFC 3339.
    pub started_at: String,
    /// What was asked for.
    pub config: ScanConfig,
    /// The server and the table.
    pub server: ScanServer,
    /// The degrees that were measured, in their order.
    pub steps: Vec<Step>,
    /// Amdahl's serial share, see [`serial_share`].
    pub serial_share: Option<f64>,
    /// Why not all degrees were measured, if so.
    pub partial_reason: Option<String>,
}

impl ScanDocument {
    /// Whether a text says that it is the document of a scan.
    pub fn is_one(json: &str) -> bool {
        serde_json::from_str::<Header>(json).is_ok_and(|header| header.format == FORMAT_NAME)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// [`FormatError`] if the text is none of a scan, or one of another version of the format.
    pub fn parse(json: &str) -> Result<ScanDocument, FormatError> {
        let header: Header = serde_json::from_str(json)?;
        header.check(FORMAT_NAME, FORMAT_VERSION)?;
        Ok(serde_json::from_str(json)?)
    }

    /// The document as JSON for people.
    pub fn to_json_pretty(&self) -> String {
        serde_json::to_string_pretty(self)
            .expect("a document of a scan has string keys and finite numbers")
    }
}
