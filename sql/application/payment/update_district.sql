-- $1 int4 warehouse, $2 int2 district, $3 numeric amount
UPDATE {schema}.district
SET d_ytd = d_ytd + $3
WHERE d_w_id = $1 AND d_id = $2
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
