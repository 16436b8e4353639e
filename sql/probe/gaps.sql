-- The gaps between the rows in microseconds, in the order of the rows.
SELECT (extract(epoch FROM next - at) * 1000000)::int8 AS gap_us
FROM (SELECT at, lead(at) OVER (ORDER BY at) AS next FROM {schema}.probe) AS rows
WHERE next IS NOT NULL
ORDER BY at
