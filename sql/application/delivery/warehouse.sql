-- Whether the warehouse in which nothing waits for delivery exists.
-- $1 int4 warehouse
SELECT w_id,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.warehouse
WHERE w_id = $1
