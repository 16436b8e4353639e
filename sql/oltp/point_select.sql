-- $1 int4 id
SELECT c,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.{table}
WHERE id = $1
