-- Which of sysbench's tables a schema has, and whether a load of them is not finished: names in order. name is a string.
SELECT c.relname::text
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = {name} AND c.relkind IN ('r', 'p')
  AND (c.relname ~ '^sbtest[1-9][0-9]{0,3}$' OR c.relname = 'oltp_load')
ORDER BY pg_catalog.length(c.relname::text), c.relname
