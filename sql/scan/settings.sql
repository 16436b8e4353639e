-- The settings of a degree, until the transaction ends. degree is a number. A server on which parallel workers are
-- switched off (max_parallel_workers = 0) stays so; else the session may have as many as it is to have.
SELECT pg_catalog.set_config(s.name, w.value, true)
FROM pg_catalog.pg_settings s
JOIN (VALUES ('max_parallel_workers_per_gather', '{degree}'),
             ('max_parallel_workers',
              CASE pg_catalog.current_setting('max_parallel_workers')::int
                  WHEN 0 THEN '0'
                  ELSE greatest(pg_catalog.current_setting('max_parallel_workers')::int, {degree})::text
              END),
             ('parallel_setup_cost', '0'),
             ('parallel_tuple_cost', '0'),
             ('min_parallel_table_scan_size', '0'),
             ('jit', 'off'),
             ('statement_timeout', '0'),
             ('transaction_timeout', '0'),
             ('lock_timeout', '10s')) AS w (name, value) USING (name)
