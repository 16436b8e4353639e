-- $1 int4 warehouse, $2 int2 district, $3 int4 order
UPDATE {schema}.order_line
SET ol_delivery_d = pg_catalog.now()
WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
