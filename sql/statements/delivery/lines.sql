-- $1 int4 warehouse, $2 int2[] districts, $3 int4[] their orders, $4 timestamptz delivery date
UPDATE {schema}.order_line
SET ol_delivery_d = $4
FROM unnest($2, $3) AS taken (d_id, o_id)
WHERE ol_w_id = $1 AND ol_d_id = taken.d_id AND ol_o_id = taken.o_id
RETURNING ol_d_id, ol_amount
