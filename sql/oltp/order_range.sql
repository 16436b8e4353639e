-- $1 int4 first id, $2 int4 last id
-- The server's time stands in a row after the others, so that it is asked for once.
(SELECT c, NULL::float8
 FROM {schema}.{table}
 WHERE id BETWEEN $1 AND $2
 ORDER BY c)
UNION ALL
SELECT NULL, pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
