-- Whether the extension is in this database.
SELECT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_tpcc')
