//! The SQL surface: every function is thin, and the last thing it does is to raise its error.

mod arguments;
mod check;
mod transactions;
