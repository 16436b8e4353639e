-- condition: the sum of o_ol_cnt of a district is its number of order lines (3.3.2.4)
WITH ordered AS (
    SELECT o_w_id, o_d_id, sum(o_ol_cnt) AS expected FROM {schema}.orders GROUP BY o_w_id, o_d_id
), lines AS (
    SELECT ol_w_id, ol_d_id, count(*) AS found FROM {schema}.order_line GROUP BY ol_w_id, ol_d_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s: sum of o_ol_cnt %s, order lines %s',
                  coalesce(o_w_id, ol_w_id), coalesce(o_d_id, ol_d_id), coalesce(expected, 0), coalesce(found, 0))) AS example
FROM ordered FULL JOIN lines ON ol_w_id = o_w_id AND ol_d_id = o_d_id
WHERE expected IS DISTINCT FROM found
