//! The only place that touches PostgreSQL's C interface.
#![allow(unsafe_code)]

pub mod bulk;
pub mod clock;
pub mod compat;
pub mod crew;
pub mod datum;
pub mod dsm;
pub mod entries;
pub mod error;
pub mod latch;
pub mod numeric;
pub mod rows;
pub mod settings;
pub mod shared;
pub mod snapshot;
pub mod spi;
pub mod subxact;
pub mod target;
pub mod tuple;
pub mod utility;
pub mod xact;
