//! The executors of the client's modes on real connections: whoever runs the logic, the same inputs leave the same
//! rows, in as many round trips as the mode is said to take.

mod bench;
mod counts;
mod failing;
mod same_rows;
mod together;
