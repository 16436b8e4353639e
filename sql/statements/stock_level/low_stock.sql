-- $1 int4 warehouse, $2 int4[] distinct items, $3 int4 threshold
SELECT pg_catalog.count(*)
FROM {schema}.stock
WHERE s_w_id = $1 AND s_i_id = ANY ($2) AND s_quantity < $3
