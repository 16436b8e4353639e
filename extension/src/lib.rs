//! TPC-C inside PostgreSQL: generators, transactions and runs in the server.

::pgrx::pg_module_magic!(name, version);

mod pg;
