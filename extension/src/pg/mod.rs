//! The only place that touches PostgreSQL's C interface.
#![allow(unsafe_code)]

pub mod datum;
pub mod error;
pub mod numeric;
