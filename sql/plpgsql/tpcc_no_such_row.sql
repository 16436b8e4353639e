-- Fails for a key that no row has; names the warehouse where it is the warehouse that is missing.
CREATE OR REPLACE FUNCTION {schema}.tpcc_no_such_row(what text, w_id int4) RETURNS void
LANGUAGE plpgsql STABLE AS $function$
#variable_conflict use_column
DECLARE
    lowest int4;
    highest int4;
BEGIN
    SELECT coalesce(pg_catalog.min(w_id), 0), coalesce(pg_catalog.max(w_id), 0) INTO lowest, highest FROM {schema}.warehouse;
    IF highest = 0 OR $2 < lowest OR $2 > highest THEN
        RAISE EXCEPTION 'warehouse % does not exist: schema "%" holds warehouses % to %', $2, {schema_literal}, lowest, highest
            USING ERRCODE = 'TC002',
                  HINT = pg_catalog.format('tpcc load --flavour plpgsql --schema %L --warehouses %s', {schema_literal}, GREATEST($2, 1));
    END IF;
    RAISE EXCEPTION '% does not exist in schema "%"', what, {schema_literal} USING ERRCODE = 'TC002';
END
$function$;
