-- The districts among those given that still have an undelivered order.
-- $1 int4 warehouse, $2 int2[] districts
SELECT district.d_id
FROM (SELECT pg_catalog.unnest($2)) AS district (d_id)
WHERE EXISTS (
    SELECT
    FROM {schema}.new_order
    WHERE no_w_id = $1 AND no_d_id = district.d_id
)
