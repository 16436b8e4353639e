-- $1 int4 warehouse, $2 int2 district
SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.district
WHERE d_w_id = $1 AND d_id = $2
