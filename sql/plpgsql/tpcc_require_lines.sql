-- Refuses the lines of an order where one is missing, is NULL or has a value that is not allowed.
CREATE OR REPLACE FUNCTION {schema}.tpcc_require_lines(item_ids int4[], supply_w_ids int4[], quantities int4[]) RETURNS void
LANGUAGE plpgsql IMMUTABLE AS $function$
DECLARE
    line_count int4 := pg_catalog.cardinality(item_ids);
    argument record;
    line record;
BEGIN
    FOR argument IN
        SELECT given.name, given.elements
        FROM (VALUES ('item_ids', item_ids), ('supply_w_ids', supply_w_ids), ('quantities', quantities)) AS given (name, elements)
    LOOP
        IF argument.elements IS NULL THEN
            PERFORM {schema}.tpcc_require(argument.name, NULL, 0, 0);
        END IF;
        FOR line IN
            SELECT given.element, given.n FROM pg_catalog.unnest(argument.elements) WITH ORDINALITY AS given (element, n)
        LOOP
            IF line.element IS NULL THEN
                PERFORM {schema}.tpcc_require(pg_catalog.format('%s[%s]', argument.name, line.n), NULL, 0, 0);
            END IF;
        END LOOP;
    END LOOP;
    PERFORM {schema}.tpcc_require('the number of item_ids', line_count, 5, 15);
    FOR argument IN
        SELECT given.name, given.elements
        FROM (VALUES ('supply_w_ids', supply_w_ids), ('quantities', quantities)) AS given (name, elements)
    LOOP
        IF pg_catalog.cardinality(argument.elements) <> line_count THEN
            RAISE EXCEPTION '% has % elements and item_ids has %: one a line was expected',
                argument.name, pg_catalog.cardinality(argument.elements), line_count USING ERRCODE = '22023';
        END IF;
    END LOOP;
    FOR line IN
        SELECT given.supply_w_id, given.quantity, given.n
        FROM ROWS FROM (pg_catalog.unnest(supply_w_ids), pg_catalog.unnest(quantities)) WITH ORDINALITY AS given (supply_w_id, quantity, n)
    LOOP
        PERFORM {schema}.tpcc_require(pg_catalog.format('supply_w_ids[%s]', line.n), line.supply_w_id, 1, 2147483647);
        PERFORM {schema}.tpcc_require(pg_catalog.format('quantities[%s]', line.n), line.quantity, 1, 10);
    END LOOP;
END
$function$;
