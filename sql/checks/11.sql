-- condition: a district has 2100 orders more than new orders, and one more for each delivery since the load (3.3.2.11)
--
-- The standard asks for the 2100 on a fresh load only. Each delivery takes one new_order row away and adds one to its
-- customer's c_delivery_cnt, which is 0 after the load: so the difference is 2100 plus the deliveries at any time, and a
-- lost new_order row or an uncounted delivery shows.
WITH district_orders AS (
    SELECT o_w_id, o_d_id, count(*) AS found FROM {schema}.orders GROUP BY o_w_id, o_d_id
), district_new_orders AS (
    SELECT no_w_id, no_d_id, count(*) AS found FROM {schema}.new_order GROUP BY no_w_id, no_d_id
), deliveries AS (
    SELECT c_w_id, c_d_id, sum(c_delivery_cnt) AS counted FROM {schema}.customer GROUP BY c_w_id, c_d_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s: orders %s, new orders %s, deliveries counted %s', d_w_id, d_id,
                  coalesce(district_orders.found, 0), coalesce(district_new_orders.found, 0), coalesce(counted, 0))) AS example
FROM {schema}.district
LEFT JOIN district_orders ON o_w_id = d_w_id AND o_d_id = d_id
LEFT JOIN district_new_orders ON no_w_id = d_w_id AND no_d_id = d_id
LEFT JOIN deliveries ON c_w_id = d_w_id AND c_d_id = d_id
WHERE coalesce(district_orders.found, 0) - coalesce(district_new_orders.found, 0) <> 2100 + coalesce(counted, 0)
