-- The query that is measured: every row is compared in its whole length, and one in 16 matches.
SELECT pg_catalog.count(*)
FROM {schema}.scan_bits
WHERE pg_catalog.bitand(id, X'0000000000000000000000000000000000000000000000000F')
    OPERATOR(pg_catalog.=) X'0000000000000000000000000000000000000000000000000A'
