-- The relations of a schema: name, whether it is a plain or partitioned table, columns in order. name is a string.
SELECT c.relname::text,
       c.relkind IN ('r', 'p'),
       (SELECT coalesce(pg_catalog.string_agg(a.attname::text, ',' ORDER BY a.attnum), '')
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = {name} AND c.relkind NOT IN ('i', 'I', 't')
ORDER BY c.relname
