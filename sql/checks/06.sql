-- condition: o_ol_cnt is the number of lines of that order (3.3.2.6)
WITH lines AS (
    SELECT ol_w_id, ol_d_id, ol_o_id, count(*) AS found FROM {schema}.order_line GROUP BY ol_w_id, ol_d_id, ol_o_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s, order %s: o_ol_cnt %s, order lines %s', coalesce(o_w_id, ol_w_id),
                  coalesce(o_d_id, ol_d_id), coalesce(o_id, ol_o_id), o_ol_cnt, coalesce(found, 0))) AS example
FROM {schema}.orders FULL JOIN lines ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
WHERE o_ol_cnt::int8 IS DISTINCT FROM found
