-- pgbench's builtin script select-only. As a function in SQL that promises to be stable it is expanded in the statement
-- that calls it: the call costs nothing.
CREATE OR REPLACE FUNCTION {schema}.tpcb_select_only(account int8)
RETURNS TABLE (balance int4, server_us int8)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $function$
    SELECT abalance, (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
                      * 1000000::float8)::int8
    FROM {schema}.pgbench_accounts
    WHERE aid = account
$function$;
