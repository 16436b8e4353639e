-- condition: d_ytd is the sum of the district's h_amount (3.3.2.9)
WITH paid AS (
    SELECT h_w_id, h_d_id, sum(h_amount) AS amount FROM {schema}.history GROUP BY h_w_id, h_d_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s: d_ytd %s, sum of h_amount %s',
                  coalesce(d_w_id, h_w_id), coalesce(d_id, h_d_id), d_ytd, amount)) AS example
FROM {schema}.district FULL JOIN paid ON h_w_id = d_w_id AND h_d_id = d_id
WHERE d_ytd IS DISTINCT FROM amount
