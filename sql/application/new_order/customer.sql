-- What of the customer and the warehouse goes into the total (clause 2.4.2.2).
-- $1 int4 warehouse, $2 int2 district, $3 int4 customer
SELECT w_tax, c_discount, c_last, c_credit,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.warehouse, {schema}.customer
WHERE w_id = $1 AND c_w_id = $1 AND c_d_id = $2 AND c_id = $3
