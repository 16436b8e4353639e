-- The schema of the extension, as an identifier, where it has a function (an older version may not). function is a
-- string.
SELECT pg_catalog.quote_ident(n.nspname)
FROM pg_catalog.pg_extension e
JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'pg_tpcc'
  AND EXISTS (SELECT FROM pg_catalog.pg_depend d
              JOIN pg_catalog.pg_proc p ON p.oid = d.objid
              WHERE d.refobjid = e.oid AND d.deptype = 'e' AND p.proname = {function})
