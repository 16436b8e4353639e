-- $1 int4 warehouse, $2 int2 district
SELECT d_next_o_id,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.district
WHERE d_w_id = $1 AND d_id = $2
