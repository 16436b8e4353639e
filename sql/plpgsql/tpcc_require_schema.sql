-- Refuses another schema than the function's own where that schema has not what a call needs.
CREATE OR REPLACE FUNCTION {schema}.tpcc_require_schema(schema text, function text) RETURNS void
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    mend text := pg_catalog.format('tpcc load --flavour plpgsql --schema %L', schema);
    tables int8;
BEGIN
    IF schema IS NULL THEN
        RAISE EXCEPTION 'schema is NULL: a value was expected' USING ERRCODE = '22004';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspname::text = schema) THEN
        RAISE EXCEPTION 'schema "%" does not exist', schema USING ERRCODE = '3F000', HINT = mend;
    END IF;
    SELECT pg_catalog.count(*) INTO tables
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname::text = schema
      AND c.relname::text = ANY ('{warehouse,district,customer,history,new_order,orders,order_line,item,stock}'::text[]);
    IF tables < 9 THEN
        RAISE EXCEPTION 'schema "%" holds % of the 9 tables of TPC-C', schema, tables USING ERRCODE = 'TC003', HINT = mend;
    END IF;
    IF NOT EXISTS (
        SELECT FROM pg_catalog.pg_proc p
        JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname::text = schema AND p.proname::text = function
    ) THEN
        RAISE EXCEPTION 'schema "%" has no function %', schema, function USING ERRCODE = 'TC003', HINT = mend;
    END IF;
END
$function$;
