-- Clause 2.7.4.2: the oldest undelivered order. A row that another delivery is just taking is waited for, and passed
-- over once it is gone. The time is taken after that wait: hence the subquery.
-- $1 int4 warehouse, $2 int2 district
SELECT taken.*,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM (
    SELECT no_o_id
    FROM {schema}.new_order
    WHERE no_w_id = $1 AND no_d_id = $2
    ORDER BY no_o_id
    LIMIT 1
    FOR UPDATE
) AS taken
