//! What the client prints: tables and numbers that people can read.

mod number;
mod table;

pub use number::grouped;
pub use table::{Table, from_rows};
