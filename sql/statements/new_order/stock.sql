-- Clause 2.4.2.2: the stock of one supplying warehouse, each item at most once a call.
-- The array is sorted by item and drives a nested loop, so that rows are locked in that order.
-- Set-returning functions in a select list are not materialised, as they are in FROM.
-- $1 int4 warehouse, $2 int4[] items, $3 int2[] quantities, $4 int2 district of the order,
-- $5 int4 1 where the warehouse is not the customer's own, else 0
UPDATE {schema}.stock
SET s_quantity = CASE WHEN s_quantity >= line.quantity + 10 THEN s_quantity - line.quantity
                      ELSE s_quantity - line.quantity + 91 END,
    s_ytd = s_ytd + line.quantity,
    s_order_cnt = s_order_cnt + 1,
    s_remote_cnt = s_remote_cnt + $5
FROM (SELECT pg_catalog.unnest($2), pg_catalog.unnest($3)) AS line (item, quantity)
WHERE s_w_id = $1 AND s_i_id = line.item
RETURNING s_i_id, s_quantity, s_data,
    CASE $4 WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
            WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
            WHEN 9 THEN s_dist_09 ELSE s_dist_10 END
