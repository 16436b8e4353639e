-- $1 int8 account, $2 int4 amount
UPDATE {schema}.pgbench_accounts
SET abalance = abalance + $2
WHERE aid = $1
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
