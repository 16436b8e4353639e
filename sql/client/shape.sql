-- What the tables of a schema are: name, kind, partition, access method, what only the executor could serve, and the
-- columns with their types, a line each. name is a string.
SELECT c.relname::text,
       CASE WHEN c.relispartition THEN 'is a partition'
            WHEN c.relkind = 'r' THEN ''
            WHEN c.relkind = 'p' THEN 'is a partitioned table'
            WHEN c.relkind = 'f' THEN 'is a foreign table'
            WHEN c.relkind = 'v' THEN 'is a view'
            WHEN c.relkind = 'm' THEN 'is a materialized view'
            ELSE 'is not a table' END,
       CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)
                THEN 'has a trigger'
            WHEN EXISTS (SELECT FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid) THEN 'has rules'
            WHEN pg_catalog.row_security_active(c.oid) THEN 'has row security for the caller'
            WHEN EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c')
                THEN 'has check constraints'
            WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute a
                         WHERE a.attrelid = c.oid AND a.attgenerated <> '' AND NOT a.attisdropped)
                THEN 'has generated columns'
            ELSE '' END,
       (SELECT coalesce(pg_catalog.string_agg(
                   a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod), E'\n' ORDER BY a.attnum), '')
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = {name} AND c.relkind NOT IN ('i', 'I', 't')
