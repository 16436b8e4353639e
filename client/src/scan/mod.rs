//! The parallel scan: a table made in the server over several connections ([`load()`]), the same count with more and
//! more parallel workers ([`measure()`]), and the end of the table ([`drop_table`]).
//!
//! What a scan is, what is read from a plan and what is kept of it is in [`workload::scan`].

mod cancel;
mod drop;
mod error;
mod load;
mod measure;
mod tables;
mod work;

pub use drop::drop_table;
pub use error::ScanError;
pub use load::{LoadOptions, LoadReport, load};
pub use measure::{Degrees, MeasureOptions, Measured, measure};

/// The schema of the table, unless another one is asked for.
pub const DEFAULT_SCHEMA: &str = "tpcc_scan";
