-- Refuses the argument of a transaction that is NULL or outside of a range, with what was expected.
-- Called where a quick test of all arguments together has failed.
CREATE OR REPLACE FUNCTION {schema}.tpcc_require(name text, value int4, low int4, high int4) RETURNS void
LANGUAGE plpgsql IMMUTABLE AS $function$
BEGIN
    IF value IS NULL THEN
        RAISE EXCEPTION '% is NULL: a value was expected', name USING ERRCODE = '22004';
    ELSIF value < low OR value > high THEN
        RAISE EXCEPTION '% is %: % to % was expected', name, value, low, high USING ERRCODE = '22023';
    END IF;
END
$function$;
