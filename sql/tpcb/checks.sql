-- What holds of pgbench's tables after any number of its transactions. schema is a quoted identifier.
--
-- pgbench without -n empties pgbench_history before it begins: then the third condition cannot be told from the tables.
WITH counts AS (
    SELECT (SELECT pg_catalog.count(*) FROM {schema}.pgbench_branches) AS branches,
           (SELECT pg_catalog.count(*) FROM {schema}.pgbench_tellers) AS tellers,
           (SELECT pg_catalog.count(*) FROM {schema}.pgbench_accounts) AS accounts,
           (SELECT coalesce(pg_catalog.sum(bbalance), 0) FROM {schema}.pgbench_branches) AS in_branches,
           (SELECT coalesce(pg_catalog.sum(tbalance), 0) FROM {schema}.pgbench_tellers) AS in_tellers,
           (SELECT coalesce(pg_catalog.sum(abalance), 0) FROM {schema}.pgbench_accounts) AS in_accounts,
           (SELECT coalesce(pg_catalog.sum(delta), 0) FROM {schema}.pgbench_history) AS in_history
)
SELECT 1, '10 tellers and 100000 accounts a branch', tellers = 10 * branches AND accounts = 100000 * branches,
       pg_catalog.format('%s branches, %s tellers, %s accounts', branches, tellers, accounts)
FROM counts
UNION ALL
SELECT 2, 'the sum of tbalance is the sum of bbalance', in_tellers = in_branches,
       pg_catalog.format('%s in tellers, %s in branches', in_tellers, in_branches)
FROM counts
UNION ALL
SELECT 3, 'the sum of abalance is the sum of delta in the history', in_accounts = in_history,
       pg_catalog.format('%s in accounts, %s in history', in_accounts, in_history)
FROM counts
ORDER BY 1
