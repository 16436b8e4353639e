-- Counts the table that `tpcc scan load` made with each of these degrees of parallelism, 0 always and first, `runs` times
-- each, and tells a row a degree. `committed` are executions that had all the workers that were asked for, as EXPLAIN
-- (ANALYZE) tells, and `failed` those that had fewer; the times, in milliseconds, are those of the first kind. A degree's
-- speed-up is p50_ms of degree 0 over its own.
--
-- Settings, and the number of workers that the table says of itself, belong to a subtransaction that is rolled back.
-- Errors: 22004 and 22023 for arguments, 3F000 and TC003 where the table is not there as a whole, 53400 where the server
-- cannot have as many workers, TC004 while a load is at work, TC006 when the count finds other rows than were loaded.
CREATE FUNCTION scan_run(
    degrees int[] DEFAULT ARRAY[0, 1, 2, 4],
    runs int DEFAULT 3,
    schema text DEFAULT 'tpcc_scan'
) RETURNS TABLE (
    transaction text,
    committed bigint,
    rolled_back bigint,
    failed bigint,
    skipped bigint,
    retried bigint,
    per_minute float8,
    share float8,
    mean_ms float8,
    p50_ms float8,
    p90_ms float8,
    p95_ms float8,
    p99_ms float8,
    p999_ms float8,
    max_ms float8
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    load_command CONSTANT text := 'tpcc scan load --rows 10000000'
        || CASE WHEN schema <> 'tpcc_scan' THEN ' --schema ' || quote_literal(schema) ELSE '' END;
    most CONSTANT int := current_setting('max_worker_processes');
    -- What schema.rs calls LEADER: the lock that loads and drops hold.
    leader_lock CONSTANT int := 1953522531;
    query text;
    whole bool;
    may_alter bool;
    expected bigint;
    found bigint;
    degree int;
    plan jsonb;
    launched int;
    times float8[];
    short int;
    results jsonb := '[]';
BEGIN
    IF degrees IS NULL OR array_position(degrees, NULL) IS NOT NULL OR runs IS NULL OR schema IS NULL THEN
        RAISE EXCEPTION 'degrees, runs or schema is NULL: a value was expected' USING ERRCODE = '22004';
    END IF;
    IF runs NOT BETWEEN 1 AND 1000 THEN
        RAISE EXCEPTION 'runs is %: 1 to 1000 was expected', runs USING ERRCODE = '22023';
    END IF;
    FOREACH degree IN ARRAY degrees LOOP
        IF degree NOT BETWEEN 0 AND 1024 THEN
            RAISE EXCEPTION 'a degree is %: 0 to 1024 was expected', degree USING ERRCODE = '22023';
        ELSIF degree > most THEN
            RAISE EXCEPTION 'degree % was asked for, and max_worker_processes is %', degree, most
                USING ERRCODE = '53400', HINT = format('ALTER SYSTEM SET max_worker_processes = %s, and a restart.', degree);
        END IF;
    END LOOP;
    IF to_regnamespace(quote_ident(schema)) IS NULL THEN
        RAISE EXCEPTION 'schema "%" does not exist', schema USING ERRCODE = '3F000', HINT = load_command;
    END IF;
    IF to_regclass(format('%I.scan_bits', schema)) IS NULL OR to_regclass(format('%I.scan_load', schema)) IS NULL
        OR to_regclass(format('%I.scan_state', schema)) IS NULL
    THEN
        RAISE EXCEPTION 'schema "%" holds no table of a scan', schema USING ERRCODE = 'TC003', HINT = load_command;
    END IF;
    EXECUTE format('SELECT s.vacuumed AND s.rows = l.rows, l.matching FROM %1$I.scan_state s, '
                   '(SELECT coalesce(sum(last_row - first_row + 1), 0) AS rows, sum(matching)::bigint AS matching '
                   'FROM %1$I.scan_load) AS l', schema)
        INTO whole, expected;
    IF whole IS NOT TRUE THEN
        RAISE EXCEPTION 'the load of schema "%" did not come to its end', schema
            USING ERRCODE = 'TC003', HINT = 'The same tpcc scan load goes on with it.';
    END IF;
    -- The same as in count.sql.
    query := format('SELECT count(*) FROM %I.scan_bits WHERE bitand(id, B%L) = B%L',
                    schema, repeat('0', 196) || '1111', repeat('0', 196) || '1010');
    may_alter := current_setting('transaction_read_only') = 'off'
        AND (SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class c
             WHERE c.oid = to_regclass(format('%I.scan_bits', schema)));
    FOREACH degree IN ARRAY (SELECT array_agg(DISTINCT d ORDER BY d) FROM unnest(degrees || 0) AS d) LOOP
        times := '{}';
        short := 0;
        BEGIN
            PERFORM set_config(s.name, w.value, true)
            FROM pg_settings s
            JOIN (VALUES ('max_parallel_workers_per_gather', degree::text),
                         ('max_parallel_workers',
                          CASE current_setting('max_parallel_workers')::int
                              WHEN 0 THEN '0'
                              ELSE greatest(current_setting('max_parallel_workers')::int, degree)::text
                          END),
                         ('parallel_setup_cost', '0'),
                         ('parallel_tuple_cost', '0'),
                         ('min_parallel_table_scan_size', '0'),
                         ('jit', 'off'),
                         ('lock_timeout', '10s')) AS w (name, value) USING (name);
            IF NOT pg_try_advisory_xact_lock_shared(leader_lock, hashtext(schema)) THEN
                RAISE EXCEPTION 'a load or drop of schema "%" is going on: wait for its end', schema
                    USING ERRCODE = 'TC004';
            END IF;
            IF degree > 0 AND may_alter THEN
                EXECUTE format('ALTER TABLE %I.scan_bits SET (parallel_workers = %s)', schema, degree);
            END IF;
            FOR run IN 1..runs LOOP
                EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
                launched := coalesce((SELECT sum(workers::int)
                    FROM jsonb_path_query(plan, 'strict $.** ? (@."Node Type" starts with "Gather")."Workers Launched"')
                        AS workers), 0);
                IF launched < degree THEN
                    short := short + 1;
                ELSE
                    times := times || (plan #>> '{0,Execution Time}')::float8;
                END IF;
            END LOOP;
            EXECUTE query INTO found;
            IF found <> expected THEN
                RAISE EXCEPTION 'the count at degree % found % rows, and % rows that match were loaded',
                    degree, found, expected USING ERRCODE = 'TC006', HINT = 'Somebody changed the table. Begin anew: '
                        || replace(load_command, 'load --rows 10000000', 'drop');
            END IF;
            RAISE EXCEPTION 'the degree is measured' USING ERRCODE = 'TCX01';
        EXCEPTION WHEN SQLSTATE 'TCX01' THEN
            results := results || jsonb_build_object('degree', degree, 'times', to_jsonb(times), 'short', short);
        END;
    END LOOP;
    RETURN QUERY
    SELECT 'degree ' || (r ->> 'degree'), t.runs, 0::bigint, (r ->> 'short')::bigint, 0::bigint, 0::bigint,
           round((60000 / t.mean)::numeric, 1)::float8,
           round(100 * t.runs / nullif(sum(t.runs) OVER (), 0), 2)::float8, round(t.mean::numeric, 3)::float8, t.p[1], t.p[2], t.p[3], t.p[4], t.p[5], t.max
    FROM jsonb_array_elements(results) AS r,
         LATERAL (SELECT count(*) AS runs, avg(ms) AS mean, max(ms) AS max,
                         percentile_disc(ARRAY[0.5, 0.9, 0.95, 0.99, 0.999]) WITHIN GROUP (ORDER BY ms) AS p
                  FROM (SELECT v::float8 AS ms FROM jsonb_array_elements_text(r -> 'times') AS v) AS v) AS t;
END
$$;
REVOKE EXECUTE ON FUNCTION scan_run(int[], int, text) FROM PUBLIC;
