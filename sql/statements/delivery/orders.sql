-- $1 int4 warehouse, $2 int2[] districts, $3 int4[] their orders, $4 int2 carrier
UPDATE {schema}.orders
SET o_carrier_id = $4
FROM unnest($2, $3) AS taken (d_id, o_id)
WHERE o_w_id = $1 AND o_d_id = taken.d_id AND o_id = taken.o_id
RETURNING o_d_id, o_c_id
