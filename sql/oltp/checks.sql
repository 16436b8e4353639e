-- What holds of one of sysbench's tables after any number of its transactions.
SELECT condition, holds, found
FROM (SELECT pg_catalog.count(*) AS rows, pg_catalog.count(DISTINCT id) AS ids,
             coalesce(pg_catalog.min(id), 1) AS first, coalesce(pg_catalog.max(id), 0) AS last,
             pg_catalog.count(*) FILTER (WHERE k < 1) AS low,
             pg_catalog.count(*) FILTER (WHERE c !~ '^([0-9]{11}-){9}[0-9]{11} *$') AS bad_c,
             pg_catalog.count(*) FILTER (WHERE pad !~ '^([0-9]{11}-){4}[0-9]{11} *$') AS bad_pad
      FROM {schema}.{table}) AS t,
     LATERAL (VALUES (1, 'no id is there twice, none is below 1', rows = ids AND first >= 1,
                      pg_catalog.format('%s rows, ids %s to %s', rows, first, last)),
                     (2, 'k is 1 or more', low = 0, pg_catalog.format('%s rows below', low)),
                     (3, 'c is ten groups of digits, pad is five', bad_c = 0 AND bad_pad = 0,
                      pg_catalog.format('%s and %s rows that are not', bad_c, bad_pad)))
         AS v (number, condition, holds, found)
ORDER BY number
