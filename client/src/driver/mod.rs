//! Driving load from the client.

pub mod mode;
