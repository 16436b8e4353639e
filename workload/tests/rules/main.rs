//! The rules of the workload, tested from outside: distributions, populations, inputs, counts and the
//! result document. All seeds are fixed, so that a test which passes passes always.

mod golden;
mod input;
mod mix;
mod population;
mod random;
mod result;
mod scan;
mod statistics;
mod stats;
mod table;
