-- $1 int4 warehouse, $2 int2[] districts, $3 int4[] their customers, $4 numeric[] amounts
UPDATE {schema}.customer
SET c_balance = c_balance + taken.amount,
    c_delivery_cnt = c_delivery_cnt + 1
FROM (SELECT pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) AS taken (district, customer, amount)
WHERE c_w_id = $1 AND c_d_id = taken.district AND c_id = taken.customer
