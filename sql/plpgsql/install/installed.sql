-- The routines of the given names in a schema: how they are called, and what they are.
-- names is a list of literals. "signature" has a type's name after each argument's and column's.
SELECT p.proname,
       pg_catalog.format('%s %I.%I(%s)', CASE p.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, n.nspname, p.proname,
                         pg_catalog.pg_get_function_identity_arguments(p.oid)) AS called,
       (
           SELECT coalesce(pg_catalog.string_agg(p.proargnames[argument.place] || ' ' || t.typname, ', ' ORDER BY argument.place), '')
           FROM pg_catalog.unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY AS argument (type, place)
           JOIN pg_catalog.pg_type t ON t.oid = argument.type
       ) AS signature,
       p.prosrc,
       p.prosecdef OR p.proconfig IS NOT NULL AS has_settings,
       EXISTS (
           SELECT FROM pg_catalog.pg_depend d
           WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'
       ) AS of_an_extension
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = {schema_literal} AND p.proname IN ({names})
