-- $1 int4 first id, $2 int4 last id
SELECT pg_catalog.sum(k),
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.{table}
WHERE id BETWEEN $1 AND $2
