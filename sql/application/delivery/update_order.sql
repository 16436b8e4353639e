-- $1 int4 warehouse, $2 int2 district, $3 int4 order, $4 int2 carrier
UPDATE {schema}.orders
SET o_carrier_id = $4
WHERE o_w_id = $1 AND o_d_id = $2 AND o_id = $3
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
