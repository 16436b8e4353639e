-- $1 int4[] ids
-- The server's time stands in a row after the others, so that it is asked for once.
SELECT c, NULL::float8
FROM {schema}.{table}
WHERE id = ANY ($1)
UNION ALL
SELECT NULL, pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
