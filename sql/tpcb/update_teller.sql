-- $1 int4 teller, $2 int4 amount
UPDATE {schema}.pgbench_tellers
SET tbalance = tbalance + $2
WHERE tid = $1
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
