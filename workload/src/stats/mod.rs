//! How transactions are counted: the histogram's layout, the recorder that many threads or processes
//! write to, snapshots of it, the figures of each interval, where a client's time went, and summaries.

pub mod errors;
pub mod histogram;
pub mod interval;
pub mod parts;
pub mod recorder;
pub mod snapshot;
pub mod summary;

pub use errors::{ErrorCount, ErrorTally};
pub use histogram::{HistogramLayout, HistogramSnapshot, HistogramTextError, from_base64};
pub use interval::{Interval, IntervalReader};
pub use parts::{PartSummary, PartTimes, Parts, PartsSummary, TypeParts};
pub use recorder::{Recorder, Retry, Timing};
pub use snapshot::{Counters, Snapshot, TypeSnapshot};
pub use summary::{Latency, Summary, TypeSummary};
