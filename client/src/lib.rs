//! The client of pg_tpcc.
