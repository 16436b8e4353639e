-- Refuses a customer who is not told by exactly one of number and last name (clauses 2.5.1.2, 2.6.1.2).
CREATE OR REPLACE FUNCTION {schema}.tpcc_require_customer(c_id int4, c_last text) RETURNS void
LANGUAGE plpgsql IMMUTABLE AS $function$
BEGIN
    IF c_id IS NULL AND c_last IS NULL THEN
        RAISE EXCEPTION 'c_id and c_last are both NULL: the customer''s number or last name was expected' USING ERRCODE = '22004';
    ELSIF c_id IS NOT NULL AND c_last IS NOT NULL THEN
        RAISE EXCEPTION 'c_id is % and c_last is "%": one of them was expected, the other NULL', c_id, c_last USING ERRCODE = '22023';
    ELSIF c_id IS NOT NULL THEN
        PERFORM {schema}.tpcc_require('c_id', c_id, 1, 3000);
    ELSIF pg_catalog.octet_length(c_last) > 16 THEN
        RAISE EXCEPTION 'c_last has % bytes: a last name has at most 16', pg_catalog.octet_length(c_last) USING ERRCODE = '22023';
    END IF;
END
$function$;
