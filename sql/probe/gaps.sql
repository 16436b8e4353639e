-- The gaps between the rows in microseconds, in the order of the rows.
SELECT (extract(epoch FROM next - at) * 1000000::numeric)::int8 AS gap_us
FROM (SELECT at, pg_catalog.lead(at) OVER (ORDER BY at) AS next FROM {schema}.probe) AS rows
WHERE next IS NOT NULL
ORDER BY at
