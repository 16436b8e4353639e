-- $1 int4 warehouse, $2 int2 district, $3 int4 order
SELECT pg_catalog.sum(ol_amount),
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.order_line
WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3
