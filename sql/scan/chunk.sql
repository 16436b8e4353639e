-- Rows first to last, and the line that says that they are there. The line comes first: should another session
-- be writing the same rows, this one waits here, and then fails before it has written any.
-- A row is four hashes of its number, one after the other; the streams of the hashes come from the seed.
BEGIN;
INSERT INTO {schema}.scan_load (first_row, last_row, matching)
SELECT {first}, {last},
       pg_catalog.count(*) FILTER (WHERE
           pg_catalog.hashint8extended(i, pg_catalog.hashint8extended(4, {seed}))
               OPERATOR(pg_catalog.&) 15::bigint OPERATOR(pg_catalog.=) 10::bigint)
FROM (SELECT pg_catalog.generate_series({first}::bigint, {last}::bigint) AS i) AS numbers;
INSERT INTO {schema}.scan_bits (id)
SELECT pg_catalog.hashint8extended(i, pg_catalog.hashint8extended(1, {seed}))::bit(64)
       OPERATOR(pg_catalog.||) pg_catalog.hashint8extended(i, pg_catalog.hashint8extended(2, {seed}))::bit(64)
       OPERATOR(pg_catalog.||) pg_catalog.hashint8extended(i, pg_catalog.hashint8extended(3, {seed}))::bit(64)
       OPERATOR(pg_catalog.||) pg_catalog.hashint8extended(i, pg_catalog.hashint8extended(4, {seed}))::bit(8)
FROM (SELECT pg_catalog.generate_series({first}::bigint, {last}::bigint) AS i) AS numbers;
COMMIT
