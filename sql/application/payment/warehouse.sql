-- $1 int4 warehouse
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.warehouse
WHERE w_id = $1
