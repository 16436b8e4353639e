-- The size of each table with its indexes, in bytes. name is a string.
SELECT c.relname::text, pg_catalog.pg_total_relation_size(c.oid)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = {name} AND c.relkind = 'r'
