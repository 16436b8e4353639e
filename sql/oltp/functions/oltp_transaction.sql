-- A transaction of sysbench's scripts in one call: operations by their number, each on a table by its number, with the
-- ids and the values of k in `numbers` and what goes into c and pad in `texts`, in the order of their use.
--
-- The tables are in the text, one arm for each: a statement that is put together at run time would be planned at each call.
CREATE OR REPLACE FUNCTION {schema}.oltp_transaction(operations int4[], tables int4[], numbers int4[], texts text)
RETURNS TABLE (statements int4, server_us int8)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 AS $function$
DECLARE
    started timestamptz := pg_catalog.clock_timestamp();
    place int4 := 1;
    at int4 := 1;
    a int4;
    b int4;
    new_c text;
    new_pad text;
BEGIN
    statements := pg_catalog.cardinality(operations);
    FOR i IN 1 .. statements LOOP
        a := numbers[place];
        b := numbers[place + 1];
        -- How many numbers and texts an operation takes.
        IF operations[i] IN (7, 9, 10) THEN
            new_c := pg_catalog.substr(texts, at, 119);
            at := at + 119;
            IF operations[i] IN (9, 10) THEN
                new_pad := pg_catalog.substr(texts, at, 59);
                at := at + 59;
            END IF;
        END IF;
        CASE tables[i]
        --{each}
        WHEN {number} THEN
            CASE operations[i]
            WHEN 0 THEN PERFORM c FROM {schema}.{table} WHERE id = a;
            WHEN 1 THEN PERFORM c FROM {schema}.{table} WHERE id = ANY (numbers[place : place + 9]);
            WHEN 2 THEN PERFORM c FROM {schema}.{table} WHERE id BETWEEN a AND b;
            WHEN 3 THEN PERFORM pg_catalog.sum(k) FROM {schema}.{table} WHERE id BETWEEN a AND b;
            WHEN 4 THEN PERFORM c FROM {schema}.{table} WHERE id BETWEEN a AND b ORDER BY c;
            WHEN 5 THEN PERFORM DISTINCT c FROM {schema}.{table} WHERE id BETWEEN a AND b ORDER BY c;
            WHEN 6 THEN UPDATE {schema}.{table} SET k = k + 1 WHERE id = a;
            WHEN 7 THEN UPDATE {schema}.{table} SET c = new_c WHERE id = a;
            WHEN 8 THEN DELETE FROM {schema}.{table} WHERE id = a;
            WHEN 9 THEN INSERT INTO {schema}.{table} (id, k, c, pad) VALUES (a, b, new_c, new_pad);
            WHEN 10 THEN INSERT INTO {schema}.{table} (k, c, pad) VALUES (a, new_c, new_pad);
            END CASE;
        --{end}
        END CASE;
        place := place + CASE operations[i] WHEN 1 THEN 10 WHEN 0 THEN 1 WHEN 6 THEN 1 WHEN 7 THEN 1 WHEN 8 THEN 1 WHEN 10 THEN 1 ELSE 2 END;
    END LOOP;
    server_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - started) * 1000000::float8)::int8;
    RETURN NEXT;
END
$function$;
