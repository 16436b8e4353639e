//! The SQL surface: every function is thin, and the last thing it does is to raise its error.

mod arguments;
mod check;
mod drop;
mod generate;
mod load;
mod oltp;
mod probe;
mod run;
mod scan;
mod tpcb;
mod transactions;
