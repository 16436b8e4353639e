-- condition: w_ytd is the sum of its districts' d_ytd (3.3.2.1)
WITH district_sums AS (
    SELECT d_w_id, sum(d_ytd) AS ytd FROM {schema}.district GROUP BY d_w_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s: w_ytd %s, sum of d_ytd %s', coalesce(w_id, d_w_id), w_ytd, ytd)) AS example
FROM {schema}.warehouse FULL JOIN district_sums ON d_w_id = w_id
WHERE w_ytd IS DISTINCT FROM ytd
