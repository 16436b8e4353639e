-- $1 int8 account
SELECT abalance,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM {schema}.pgbench_accounts
WHERE aid = $1
