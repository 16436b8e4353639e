//! The `tpcc` command.

fn main() {}
