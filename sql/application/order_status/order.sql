-- The newest order of the customer.
-- $1 int4 warehouse, $2 int2 district, $3 int4 customer
SELECT o_id, o_entry_d, o_carrier_id,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.orders
WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3
ORDER BY o_id DESC
LIMIT 1
