-- What the server is, and how many workers it can have: the launcher of logical replication is one of them.
SELECT pg_catalog.current_setting('server_version'),
       pg_catalog.current_setting('max_worker_processes'),
       pg_catalog.current_setting('max_parallel_workers'),
       pg_catalog.current_setting('parallel_leader_participation') = 'on',
       pg_catalog.current_setting('shared_buffers'),
       pg_catalog.current_setting('transaction_read_only') = 'on',
       pg_catalog.current_setting('max_logical_replication_workers') <> '0'
