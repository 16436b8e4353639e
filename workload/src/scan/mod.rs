//! The parallel scan: one table of `bit(200)`, counted with a growing number of parallel workers.
//!
//! [`ladder`] says which degrees are measured, [`Chunks`] which rows are still to be made, [`Run`] reads what
//! EXPLAIN tells of one execution, and [`ScanDocument`] is what is kept of all of them.

mod chunks;
mod document;
mod ladder;
mod plan;

pub use chunks::{CHUNK_ROWS, Chunks, Span};
pub use document::{
    FORMAT_NAME, FORMAT_VERSION, ScanConfig, ScanDocument, ScanServer, Step, serial_share,
};
pub use ladder::{MOST_WORKERS, ladder, with_serial};
pub use plan::{PlanError, Run};
