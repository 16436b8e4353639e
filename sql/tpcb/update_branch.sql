-- $1 int4 branch, $2 int4 amount
UPDATE {schema}.pgbench_branches
SET bbalance = bbalance + $2
WHERE bid = $1
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
