//! Driving load from the client.
//!
//! A run goes [`plan`] (what is to be) → [`engine`] (threads, clock) → [`station`] (a connection with its
//! terminal: schedule, tries, reconnects) → [`mode`] (who runs the logic) → [`desk`] (counts of a thread) →
//! [`series`] (each second) and [`outcome`] (the result document). In mode server
//! [`server`] calls `tpcc_run` and waits; without the extension the stations hand over whole batches.

mod batches;
pub mod desk;
pub mod engine;
pub mod hold;
pub mod mode;
pub mod outcome;
pub mod phase;
pub mod plan;
mod round_trip;
pub mod series;
pub mod server;
pub mod station;
