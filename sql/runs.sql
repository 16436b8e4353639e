-- Runs write to the caller's tables for as long as he says, with processes of their own: not for everybody.
REVOKE EXECUTE ON FUNCTION tpcc_run(interval, int, text, interval, text, float8, bool, text, int8, interval, text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION tpcc_stop(text) FROM PUBLIC;

-- Every kept run that the caller may read, the newest last. `result` is the whole result document.
CREATE VIEW tpcc_runs AS
SELECT schema,
       run_id,
       started_at,
       ended_at,
       run_by,
       result ->> 'mode' AS mode,
       (result -> 'config' ->> 'warehouses')::int AS warehouses,
       (result -> 'config' ->> 'workers')::int AS workers,
       round((result ->> 'elapsed_s')::numeric, 1) AS elapsed_s,
       (result ->> 'partial')::bool AS partial,
       round((result ->> 'new_orders_per_minute')::numeric, 1) AS new_orders_per_minute,
       round((result ->> 'transactions_per_minute')::numeric, 1) AS transactions_per_minute,
       round((result -> 'total' -> 'response' ->> 'p95_us')::numeric / 1000, 3) AS p95_ms,
       (result -> 'total' ->> 'failed')::int8 AS failed,
       result
FROM tpcc_run_history()
ORDER BY started_at, schema, run_id;
GRANT SELECT ON tpcc_runs TO PUBLIC;
