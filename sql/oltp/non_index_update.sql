-- $1 int4 id, $2 text c
UPDATE {schema}.{table}
SET c = $2
WHERE id = $1
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
