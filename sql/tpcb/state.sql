-- What a schema has of pgbench's tables and of a load of them. name is a string.
SELECT pg_catalog.string_agg(c.relname::text, ',' ORDER BY c.relname)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = {name}
  AND c.relname IN ('pgbench_accounts', 'pgbench_branches', 'pgbench_tellers', 'pgbench_history', 'tpcb_load')
