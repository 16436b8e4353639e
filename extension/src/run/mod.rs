//! `tpcc_run`: background workers as terminals, each with transactions of its own.
//!
//! [`options`] are what was asked for; [`schema`] looks at the data; [`leader`] starts the crew,
//! keeps time and tells the progress ([`progress`]); [`worker`] is a terminal; they share a
//! [`board`]. [`outcome`] makes the result document. [`registry`] is how another session finds a
//! run that is going on.

mod board;
mod clock;
mod history;
mod leader;
pub mod oltp;
mod options;
mod outcome;
mod progress;
mod registry;
mod schema;
mod script;
pub mod tpcb;
mod worker;

pub use board::RunBoard;
pub use history::kept_runs;
pub use leader::run;
pub use options::{Options, Task, parse};
pub use outcome::Figures;
pub use registry::{live_runs, stop_runs};
pub use worker::RunJob;
