-- Clause 2.8.2.2: the items of the district's last 20 orders, repeated ones too.
-- $1 int4 warehouse, $2 int2 district
SELECT ol_i_id
FROM {schema}.district, {schema}.order_line
WHERE d_w_id = $1 AND d_id = $2
  AND ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id >= d_next_o_id - 20 AND ol_o_id < d_next_o_id
