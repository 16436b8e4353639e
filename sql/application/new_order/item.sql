-- No row: an unused item number (clause 2.4.1.4).
-- $1 int4 item
SELECT i_price, i_name, i_data,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.item
WHERE i_id = $1
