-- pgbench's builtin script tpcb-like in one call: an account, a teller and a branch are changed by the same amount, which
-- history remembers. Rows are locked in pgbench's order.
CREATE OR REPLACE FUNCTION {schema}.tpcb_like(account int8, branch int4, teller int4, amount int4)
RETURNS TABLE (balance int4, server_us int8)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 AS $function$
DECLARE
    started timestamptz := pg_catalog.clock_timestamp();
BEGIN
    UPDATE {schema}.pgbench_accounts SET abalance = abalance + amount WHERE aid = account RETURNING abalance INTO balance;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'account % does not exist in schema %', account, {schema_literal} USING ERRCODE = 'TC002';
    END IF;
    UPDATE {schema}.pgbench_tellers SET tbalance = tbalance + amount WHERE tid = teller;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'teller % does not exist in schema %', teller, {schema_literal} USING ERRCODE = 'TC002';
    END IF;
    UPDATE {schema}.pgbench_branches SET bbalance = bbalance + amount WHERE bid = branch;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'branch % does not exist in schema %', branch, {schema_literal} USING ERRCODE = 'TC002';
    END IF;
    INSERT INTO {schema}.pgbench_history (tid, bid, aid, delta, mtime) VALUES (teller, branch, account, amount, pg_catalog.now());
    server_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - started) * 1000000::float8)::int8;
    RETURN NEXT;
END
$function$;
