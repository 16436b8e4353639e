-- $1 int4 warehouse, $2 int2[] districts, $3 int4[] their orders, $4 timestamptz delivery date
UPDATE {schema}.order_line
SET ol_delivery_d = $4
FROM (SELECT pg_catalog.unnest($2), pg_catalog.unnest($3)) AS taken (district, number)
WHERE ol_w_id = $1 AND ol_d_id = taken.district AND ol_o_id = taken.number
RETURNING ol_d_id, ol_amount
