-- Until the end of the transaction nobody else installs functions into this schema.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('tpcc functions of ' || {schema_literal}, 0))
