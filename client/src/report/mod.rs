//! What the client prints: tables and numbers that people can read.

mod number;
mod output;
mod table;

pub use number::grouped;
pub use output::{OutputError, OutputFile};
pub use table::{Table, from_rows};
