//! The only place that touches PostgreSQL's C interface.
#![allow(unsafe_code)]
