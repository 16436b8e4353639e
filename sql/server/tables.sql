-- The sizes of tables in bytes, without and with only their indexes.
-- $1 text[] their names, $2 text the schema as a quoted identifier
SELECT name, pg_catalog.pg_table_size(t), pg_catalog.pg_indexes_size(t)
FROM (SELECT name, pg_catalog.to_regclass($2 || '.' || name) AS t FROM pg_catalog.unnest($1) AS names (name)) AS tables
WHERE t IS NOT NULL
