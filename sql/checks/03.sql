-- condition: the new orders of a district are numbered without a gap (3.3.2.3)
WITH district_new_orders AS (
    SELECT no_w_id, no_d_id, min(no_o_id)::int8 AS lowest, max(no_o_id)::int8 AS highest, count(*) AS found
    FROM {schema}.new_order
    GROUP BY no_w_id, no_d_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s: no_o_id %s to %s, %s rows', no_w_id, no_d_id, lowest, highest, found)) AS example
FROM district_new_orders
WHERE highest - lowest + 1 <> found
