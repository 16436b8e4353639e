-- condition: d_next_o_id - 1 is the highest o_id, and the highest no_o_id where the district has new orders (3.3.2.2)
WITH last_orders AS (
    SELECT o_w_id, o_d_id, max(o_id) AS o_id FROM {schema}.orders GROUP BY o_w_id, o_d_id
), last_new_orders AS (
    SELECT no_w_id, no_d_id, max(no_o_id) AS no_o_id FROM {schema}.new_order GROUP BY no_w_id, no_d_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s: d_next_o_id %s, highest o_id %s, highest no_o_id %s',
                  coalesce(d_w_id, o_w_id, no_w_id), coalesce(d_id, o_d_id, no_d_id), d_next_o_id, o_id, no_o_id)) AS example
FROM {schema}.district
FULL JOIN last_orders ON o_w_id = d_w_id AND o_d_id = d_id
FULL JOIN last_new_orders ON no_w_id = d_w_id AND no_d_id = d_id
WHERE o_id IS DISTINCT FROM d_next_o_id::int8 - 1
   OR coalesce(no_o_id, o_id) IS DISTINCT FROM o_id
