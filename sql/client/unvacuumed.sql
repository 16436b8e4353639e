-- The tables of a schema whose pages are not known to be visible to all. name is a string.
SELECT c.relname::text
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = {name} AND c.relkind = 'r'
  AND c.relallvisible < 0.9 * pg_catalog.pg_relation_size(c.oid) / pg_catalog.current_setting('block_size')::int8
