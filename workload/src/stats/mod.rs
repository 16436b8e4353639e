//! How transactions are counted: the histogram's layout, the recorder that many threads or processes
//! write to, snapshots of it, the figures of each interval, and summaries.

pub mod errors;
pub mod histogram;
pub mod interval;
pub mod recorder;
pub mod snapshot;
pub mod summary;

pub use errors::{ErrorCount, ErrorTally};
pub use histogram::{HistogramLayout, HistogramSnapshot, HistogramTextError};
pub use interval::{Interval, IntervalReader};
pub use recorder::{Recorder, Retry, Timing};
pub use snapshot::{Counters, Snapshot, TypeSnapshot};
pub use summary::{Latency, Summary, TypeSummary};
