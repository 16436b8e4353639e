-- The names of a schema's constraints. name is a string.
SELECT c.conname::text
FROM pg_catalog.pg_constraint c
JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace
WHERE n.nspname = {name}
