//! The workloads of pg_tpcc as pure Rust.
