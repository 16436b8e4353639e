//! The measurements.

mod connections;
mod drivers;
mod flavour;
mod load;
mod memory;
mod network;
mod oltp;
mod round_trip;
mod steady;
mod throughput;
mod tpcb;

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
        name: "drivers",
        what: "the client's calls against pgbench's, with 8, 64 and 300 connections",
        take: drivers::measure,
    },
    Measurement {
        name: "connections",
        what: "memory of the client with 1,000 connections",
        take: connections::measure,
    },
    Measurement {
        name: "network",
        what: "what a round trip of 5 ms costs, statement by statement and in one call",
        take: network::measure,
    },
    Measurement {
        name: "round-trip",
        what: "what the client adds to a round trip, against pgbench",
        take: round_trip::measure,
    },
    Measurement {
        name: "flavour",
        what: "functions in PL/pgSQL, and loads through COPY, against the extension's",
        take: flavour::measure,
    },
    Measurement {
        name: "tpcb",
        what: "pgbench's tables and scripts, loaded and run, against pgbench",
        take: tpcb::measure,
    },
    Measurement {
        name: "oltp",
        what: "sysbench's tables and script, loaded and run, against sysbench",
        take: oltp::measure,
    },
    Measurement {
        name: "steady",
        what: "the end of a long run against its start",
        take: steady::measure,
    },
];
