-- $1 int4 warehouse, $2 int2[] districts, $3 int4[] their orders, $4 int2 carrier
UPDATE {schema}.orders
SET o_carrier_id = $4
FROM (SELECT pg_catalog.unnest($2), pg_catalog.unnest($3)) AS taken (district, number)
WHERE o_w_id = $1 AND o_d_id = taken.district AND o_id = taken.number
RETURNING o_d_id, o_c_id
