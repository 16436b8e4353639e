-- $1 int4 warehouse, $2 numeric amount
UPDATE {schema}.warehouse
SET w_ytd = w_ytd + $2
WHERE w_id = $1
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
