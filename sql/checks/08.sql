-- condition: w_ytd is the sum of the warehouse's h_amount (3.3.2.8)
WITH paid AS (
    SELECT h_w_id, sum(h_amount) AS amount FROM {schema}.history GROUP BY h_w_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s: w_ytd %s, sum of h_amount %s', coalesce(w_id, h_w_id), w_ytd, amount)) AS example
FROM {schema}.warehouse FULL JOIN paid ON h_w_id = w_id
WHERE w_ytd IS DISTINCT FROM amount
