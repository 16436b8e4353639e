-- Clause 2.7.4.2: the balance is changed relatively.
-- $1 int4 warehouse, $2 int2 district, $3 int4 customer, $4 numeric amount of the order
UPDATE {schema}.customer
SET c_balance = c_balance + $4,
    c_delivery_cnt = c_delivery_cnt + 1
WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
