-- Clause 2.8.2.2: of the items of the last 20 orders, those whose stock is low; each counts once.
-- $1 int4 warehouse, $2 int2 district, $3 int4 the district's next order, $4 int4 threshold
SELECT pg_catalog.count(DISTINCT s_i_id),
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.order_line, {schema}.stock
WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id >= $3 - 20 AND ol_o_id < $3
  AND s_w_id = $1 AND s_i_id = ol_i_id AND s_quantity < $4
