//! The measurements.

mod load;
mod memory;
mod steady;
mod throughput;

use crate::Result;
use crate::bench::Bench;
use crate::report::Section;

/// One measurement: a section of the document.
pub struct Measurement {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it measures.
    pub what: &'static str,
    /// Takes it.
    pub take: fn(&Bench) -> Result<Section>,
}

/// All measurements, in the order of the document.
pub const ALL: &[Measurement] = &[
    Measurement {
        name: "load",
        what: "a load against COPY FREEZE from ready-made files",
        take: load::measure,
    },
    Measurement {
        name: "memory",
        what: "private memory of the workers of a load",
        take: memory::measure,
    },
    Measurement {
        name: "throughput",
        what: "new orders a minute by pgbench and by tpcc_run",
        take: throughput::measure,
    },
    Measurement {
        name: "steady",
        what: "the end of a long run against its start",
        take: steady::measure,
    },
];
