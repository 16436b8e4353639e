-- Which of the scan's tables are in a schema, and whether they have its columns. name is a string.
SELECT c.relname::text,
       c.relkind = 'r' AND w.columns OPERATOR(pg_catalog.=)
           (SELECT pg_catalog.string_agg(a.attname::text || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod), ', '
                                         ORDER BY a.attnum)
            FROM pg_catalog.pg_attribute a
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
       c.relpersistence = 'u',
       pg_catalog.pg_has_role(c.relowner, 'USAGE'),
       pg_catalog.pg_table_size(c.oid)
FROM (VALUES ('scan_bits', 'id bit(200)'),
             ('scan_load', 'first_row bigint, last_row bigint, matching bigint'),
             ('scan_state', 'only_row boolean, rows bigint, seed bigint, vacuumed boolean')) AS w (name, columns)
JOIN pg_catalog.pg_class c ON c.relname = w.name
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = {name}
ORDER BY c.relname
