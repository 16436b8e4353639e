-- The schema, if it is there: whether the current user may create in it, and who that is.
SELECT pg_catalog.has_schema_privilege(n.oid, 'CREATE'), pg_catalog.quote_ident(current_user)
FROM pg_catalog.pg_namespace n
WHERE n.nspname = {schema_literal}
