-- The order's number is d_next_o_id before the increment (clause 2.4.2.2).
-- $1 int4 warehouse, $2 int2 district, $3 int4 customer
UPDATE {schema}.district
SET d_next_o_id = d_next_o_id + 1
FROM {schema}.warehouse, {schema}.customer
WHERE d_w_id = $1 AND d_id = $2
  AND w_id = $1
  AND c_w_id = $1 AND c_d_id = $2 AND c_id = $3
RETURNING d_next_o_id - 1, d_tax, w_tax, c_discount, c_last, c_credit
