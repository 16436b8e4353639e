-- Clause 2.6.2.2: the customers of that name in the order of their first names.
-- $1 int4 warehouse, $2 int2 district, $3 text last name
SELECT c_id, c_first, c_middle, c_last, c_balance
FROM {schema}.customer
WHERE c_w_id = $1 AND c_d_id = $2 AND c_last::text = $3
ORDER BY c_first, c_id
