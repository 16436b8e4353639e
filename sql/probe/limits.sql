-- What the server and the role allow: connections that are left, and rights in this database.
SELECT current_setting('server_version') AS version,
       pg_catalog.pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS read_only,
       pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') AS may_create,
       pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMPORARY') AS may_temp,
       current_setting('max_connections')::int4 AS max_connections,
       CASE WHEN r.rolsuper THEN 0
            ELSE current_setting('superuser_reserved_connections')::int4
               + coalesce(current_setting('reserved_connections', true)::int4, 0)
       END AS reserved,
       -- Without this session.
       (SELECT coalesce(pg_catalog.sum(numbackends), 1)::int4 - 1 FROM pg_catalog.pg_stat_database
        WHERE datid <> 0) AS used,
       nullif(r.rolconnlimit, -1)::int4 AS role_limit,
       nullif(d.datconnlimit, -1)::int4 AS database_limit,
       (SELECT pg_catalog.count(*)::int4 - 1 FROM pg_catalog.pg_stat_activity WHERE usesysid = r.oid) AS used_by_role,
       (SELECT pg_catalog.count(*)::int4 - 1 FROM pg_catalog.pg_stat_activity WHERE datid = d.oid) AS used_in_database,
       current_setting('fsync')::bool AS fsync,
       pg_catalog.inet_server_addr() IS NULL AS unix_socket
FROM pg_catalog.pg_roles r, pg_catalog.pg_database d
WHERE r.rolname = session_user AND d.datname = pg_catalog.current_database()
