-- $1 int4 id
DELETE FROM {schema}.{table}
WHERE id = $1
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
