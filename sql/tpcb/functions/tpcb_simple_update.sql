-- pgbench's builtin script simple-update in one call: tpcb-like without teller and branch, for which all would queue.
CREATE OR REPLACE FUNCTION {schema}.tpcb_simple_update(account int8, branch int4, teller int4, amount int4)
RETURNS TABLE (balance int4, server_us int8)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 AS $function$
DECLARE
    started timestamptz := pg_catalog.clock_timestamp();
BEGIN
    UPDATE {schema}.pgbench_accounts SET abalance = abalance + amount WHERE aid = account RETURNING abalance INTO balance;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'account % does not exist in schema %', account, {schema_literal} USING ERRCODE = 'TC002';
    END IF;
    INSERT INTO {schema}.pgbench_history (tid, bid, aid, delta, mtime) VALUES (teller, branch, account, amount, pg_catalog.now());
    server_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - started) * 1000000::float8)::int8;
    RETURN NEXT;
END
$function$;
