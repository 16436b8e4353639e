//! TPC-C inside PostgreSQL: generators, transactions and runs in the server.

::pgrx::pg_module_magic!(name, version);

mod api;
mod check;
mod load;
mod pg;
mod probe;
mod run;
mod txn;
