-- The time is taken after the wait for the lock: hence the subquery.
-- $1 int4 supplying warehouse, $2 int4 item, $3 int2 district of the order
SELECT taken.*,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM (
    SELECT s_quantity, s_data,
        CASE $3 WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
                WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
                WHEN 9 THEN s_dist_09 ELSE s_dist_10 END
    FROM {schema}.stock
    WHERE s_w_id = $1 AND s_i_id = $2
    FOR NO KEY UPDATE
) AS taken
