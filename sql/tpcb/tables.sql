-- pgbench's four tables, with its names, types and order of columns: pgbench itself runs on them.
--
-- Placeholders: schema is a quoted identifier, unlogged is empty or UNLOGGED, aid is int4 or int8, fillfactor a
-- percentage, storage what stands behind the columns of pgbench_accounts.
CREATE {unlogged} TABLE {schema}.pgbench_history (
    tid int4, bid int4, aid {aid}, delta int4, mtime timestamp, filler char(22)
);

CREATE {unlogged} TABLE {schema}.pgbench_tellers (
    tid int4 NOT NULL, bid int4, tbalance int4, filler char(84)
) WITH (fillfactor = {fillfactor});

CREATE {unlogged} TABLE {schema}.pgbench_accounts (
    aid {aid} NOT NULL, bid int4, abalance int4, filler char(84)
) {storage};

CREATE {unlogged} TABLE {schema}.pgbench_branches (
    bid int4 NOT NULL, bbalance int4, filler char(88)
) WITH (fillfactor = {fillfactor});

-- What is loaded so far, and of how much: the row of branch 0 has the scale. It goes when all is there. Where a crash
-- empties the accounts, it empties this one.
CREATE {unlogged_state} TABLE {schema}.tpcb_load (bid int4 PRIMARY KEY, scale int4 NOT NULL);
