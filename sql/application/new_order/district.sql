-- The order's number is d_next_o_id before the increment (clause 2.4.2.2).
-- The time is taken after the wait for the lock: hence the subquery.
-- $1 int4 warehouse, $2 int2 district
SELECT taken.*,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM (
    SELECT d_next_o_id, d_tax
    FROM {schema}.district
    WHERE d_w_id = $1 AND d_id = $2
    FOR NO KEY UPDATE
) AS taken
