-- Delivery (clause 2.7): delivers the oldest order of each district of a warehouse.
--
-- All districts' orders are taken first, then the customers are changed, both in the order of the districts.
CREATE OR REPLACE FUNCTION {schema}.tpcc_delivery(
    w_id int4, carrier_id int4, schema text DEFAULT {schema_literal}
) RETURNS TABLE (o_ids int4[], skipped int4, server_us int8)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 AS $function$
DECLARE
    started timestamptz := pg_catalog.clock_timestamp();
    wanted int4[] := '{1,2,3,4,5,6,7,8,9,10}';
    districts int4[];
    numbers int4[];
    more_districts int4[];
    more_numbers int4[];
    found_orders int8;
BEGIN
    IF (schema = {schema_literal} AND w_id >= 1 AND carrier_id >= 1 AND carrier_id <= 10) IS NOT TRUE THEN
        PERFORM {schema}.tpcc_require('w_id', w_id, 1, 2147483647);
        PERFORM {schema}.tpcc_require('carrier_id', carrier_id, 1, 10);
        PERFORM {schema}.tpcc_require_schema(schema, 'tpcc_delivery');
        RETURN QUERY EXECUTE pg_catalog.format('SELECT * FROM %I.tpcc_delivery($1, $2, $3)', schema)
            USING w_id, carrier_id, schema;
        RETURN;
    END IF;

    -- Under read committed another delivery may take the row that this one has found first: then it gets nothing for that
    -- district and looks again, until no row is left there.
    LOOP
        WITH taken AS (
            DELETE FROM {schema}.new_order AS waiting
            USING (SELECT pg_catalog.unnest(wanted)) AS district (d_id),
            LATERAL (
                SELECT oldest.no_o_id
                FROM {schema}.new_order AS oldest
                WHERE oldest.no_w_id = tpcc_delivery.w_id AND oldest.no_d_id = district.d_id
                ORDER BY oldest.no_o_id
                LIMIT 1
            ) AS oldest
            WHERE waiting.no_w_id = tpcc_delivery.w_id AND waiting.no_d_id = district.d_id AND waiting.no_o_id = oldest.no_o_id
            RETURNING district.d_id, waiting.no_o_id
        )
        SELECT pg_catalog.array_agg(sorted.d_id), pg_catalog.array_agg(sorted.no_o_id)
        INTO more_districts, more_numbers
        FROM (SELECT taken.d_id, taken.no_o_id FROM taken ORDER BY taken.d_id) AS sorted;
        districts := districts || more_districts;
        numbers := numbers || more_numbers;
        EXIT WHEN pg_catalog.cardinality(more_districts) = pg_catalog.cardinality(wanted);
        SELECT pg_catalog.array_agg(district.d_id ORDER BY district.d_id)
        INTO wanted
        FROM (SELECT pg_catalog.unnest(wanted)) AS district (d_id)
        WHERE (district.d_id = ANY (more_districts)) IS NOT TRUE
          AND EXISTS (SELECT FROM {schema}.new_order WHERE no_w_id = tpcc_delivery.w_id AND no_d_id = district.d_id);
        EXIT WHEN wanted IS NULL;
    END LOOP;

    skipped := 10 - coalesce(pg_catalog.cardinality(districts), 0);
    IF skipped = 10 AND NOT EXISTS (SELECT FROM {schema}.warehouse WHERE warehouse.w_id = tpcc_delivery.w_id) THEN
        PERFORM {schema}.tpcc_no_such_row(pg_catalog.format('warehouse %s', w_id), w_id);
    END IF;
    IF skipped < 10 THEN
        WITH taken AS MATERIALIZED (
            SELECT pg_catalog.unnest(districts) AS d_id, pg_catalog.unnest(numbers) AS o_id
        ), carried AS (
            UPDATE {schema}.orders
            SET o_carrier_id = carrier_id
            FROM taken
            WHERE o_w_id = tpcc_delivery.w_id AND o_d_id = taken.d_id AND orders.o_id = taken.o_id
            RETURNING taken.d_id, o_c_id
        ), delivered AS (
            UPDATE {schema}.order_line
            SET ol_delivery_d = started
            FROM taken
            WHERE ol_w_id = tpcc_delivery.w_id AND ol_d_id = taken.d_id AND ol_o_id = taken.o_id
            RETURNING taken.d_id, ol_amount
        ), credited AS (
            UPDATE {schema}.customer
            SET c_balance = c_balance + bill.amount,
                c_delivery_cnt = c_delivery_cnt + 1
            FROM (
                SELECT carried.d_id, carried.o_c_id, coalesce(total.amount, 0::numeric) AS amount
                FROM carried
                LEFT JOIN (
                    SELECT delivered.d_id, pg_catalog.sum(delivered.ol_amount) AS amount FROM delivered GROUP BY delivered.d_id
                ) AS total ON total.d_id = carried.d_id
                ORDER BY carried.d_id
            ) AS bill
            WHERE c_w_id = tpcc_delivery.w_id AND c_d_id = bill.d_id AND c_id = bill.o_c_id
        )
        SELECT pg_catalog.count(*) INTO found_orders FROM carried;
        IF found_orders <> 10 - skipped THEN
            RAISE EXCEPTION 'warehouse %: % orders were waiting for delivery, % of them are in orders', w_id, 10 - skipped, found_orders
                USING ERRCODE = 'XX001', HINT = pg_catalog.format('tpcc check --schema %L', {schema_literal});
        END IF;
    END IF;
    IF skipped = 0 AND districts = '{1,2,3,4,5,6,7,8,9,10}'::int4[] THEN
        o_ids := numbers;
    ELSE
        SELECT pg_catalog.array_agg(taken.o_id ORDER BY d)
        INTO o_ids
        FROM pg_catalog.generate_series(1, 10) AS d
        LEFT JOIN ROWS FROM (pg_catalog.unnest(districts), pg_catalog.unnest(numbers)) AS taken (d_id, o_id) ON taken.d_id = d;
    END IF;
    server_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - started) * 1000000::float8)::int8;
    RETURN NEXT;
END
$function$;
