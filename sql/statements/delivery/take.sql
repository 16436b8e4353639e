-- Clause 2.7.4.2: the oldest undelivered order of each district. A row that another delivery took
-- in the meantime gives nothing here; the caller then asks waiting.sql and tries again.
-- $1 int4 warehouse, $2 int2[] districts
DELETE FROM {schema}.new_order AS taken
USING (SELECT pg_catalog.unnest($2)) AS district (d_id),
LATERAL (
    SELECT oldest.no_o_id
    FROM {schema}.new_order AS oldest
    WHERE oldest.no_w_id = $1 AND oldest.no_d_id = district.d_id
    ORDER BY oldest.no_o_id
    LIMIT 1
) AS oldest
WHERE taken.no_w_id = $1 AND taken.no_d_id = district.d_id AND taken.no_o_id = oldest.no_o_id
RETURNING taken.no_d_id, taken.no_o_id
