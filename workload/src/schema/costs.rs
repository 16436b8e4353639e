//! What the steps of a load cost, in nanoseconds a row: measured once, and used only to say how far
//! a load is and to begin with the longest jobs.

use super::script::{Job, Kind};
use crate::tpcc::Table;

/// To generate a row and write it into the heap.
pub const fn write_ns(table: Table) -> u64 {
    match table {
        Table::Customer => 1_500,
        Table::Stock => 900,
        Table::Item | Table::History => 500,
        _ => 400,
    }
}

/// A job, for a table of so many rows.
pub fn job_ns(job: &Job, rows: u64) -> u64 {
    let a_row = match (job.kind, job.table) {
        (Kind::Constraint, _) => 0,
        (Kind::Index, Table::Customer) if job.name.contains("name") => 1_200,
        (Kind::Index, Table::Orders) if job.name.contains("customer") => 800,
        (Kind::Index, Table::OrderLine) => 500,
        (Kind::Index, _) => 350,
        (Kind::ForeignKey, _) => 300,
        (Kind::Vacuum, Table::Customer) => 700,
        (Kind::Vacuum, Table::Stock) => 400,
        (Kind::Vacuum, _) => 200,
    };
    1_000_000 + rows * a_row
}
