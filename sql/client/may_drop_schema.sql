-- Whether a schema is the caller's, empty, none that everybody expects to be there, and one that the caller could make
-- again: what an administrator gave stays. name is a string.
SELECT n.nspname <> 'public' AND n.nspname !~ '^pg_'
   AND pg_catalog.pg_has_role(n.nspowner, 'USAGE')
   AND pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                   WHERE d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND d.refobjid = n.oid)
FROM pg_catalog.pg_namespace n
WHERE n.nspname = {name}
