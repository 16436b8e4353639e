-- $1 int4 teller, $2 int4 branch, $3 int8 account, $4 int4 amount
INSERT INTO {schema}.pgbench_history (tid, bid, aid, delta, mtime)
VALUES ($1, $2, $3, $4, pg_catalog.now())
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
