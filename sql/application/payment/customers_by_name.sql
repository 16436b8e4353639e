-- Clause 2.5.2.2: the customers of that name in the order of their first names.
-- $1 int4 warehouse, $2 int2 district, $3 text last name
SELECT c_id,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.customer
WHERE c_w_id = $1 AND c_d_id = $2 AND c_last::text = $3
ORDER BY c_first, c_id
