-- Where the extension's functions are, as a quoted identifier; no row without the extension.
SELECT pg_catalog.quote_ident(n.nspname)
FROM pg_catalog.pg_extension e
JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'pg_tpcc'
