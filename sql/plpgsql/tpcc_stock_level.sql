-- Stock-Level (clause 2.8): distinct items of the district's last 20 orders whose stock is below a threshold. Reads only.
CREATE OR REPLACE FUNCTION {schema}.tpcc_stock_level(
    w_id int4, d_id int4, threshold int4, schema text DEFAULT {schema_literal}
) RETURNS TABLE (low_stock int4, server_us int8)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 AS $function$
#variable_conflict use_column
DECLARE
    started timestamptz := pg_catalog.clock_timestamp();
    items int4[];
BEGIN
    IF (schema = {schema_literal} AND w_id >= 1 AND d_id >= 1 AND d_id <= 10 AND threshold >= 10 AND threshold <= 20) IS NOT TRUE THEN
        PERFORM {schema}.tpcc_require('w_id', w_id, 1, 2147483647);
        PERFORM {schema}.tpcc_require('d_id', d_id, 1, 10);
        PERFORM {schema}.tpcc_require('threshold', threshold, 10, 20);
        PERFORM {schema}.tpcc_require_schema(schema, 'tpcc_stock_level');
        RETURN QUERY EXECUTE pg_catalog.format('SELECT * FROM %I.tpcc_stock_level($1, $2, $3, $4)', schema)
            USING w_id, d_id, threshold, schema;
        RETURN;
    END IF;

    SELECT pg_catalog.array_agg(ol_i_id)
    INTO items
    FROM {schema}.district, {schema}.order_line
    WHERE d_w_id = tpcc_stock_level.w_id AND district.d_id = tpcc_stock_level.d_id
      AND ol_w_id = tpcc_stock_level.w_id AND ol_d_id = tpcc_stock_level.d_id
      AND ol_o_id >= d_next_o_id - 20 AND ol_o_id < d_next_o_id;
    IF items IS NULL THEN
        PERFORM {schema}.tpcc_no_such_row(pg_catalog.format('an order of district %s of warehouse %s', d_id, w_id), w_id);
    END IF;
    -- A row of stock counts once, however often its item is in the list.
    SELECT pg_catalog.count(*)
    INTO low_stock
    FROM {schema}.stock
    WHERE s_w_id = tpcc_stock_level.w_id AND s_i_id = ANY (items) AND s_quantity < threshold;
    server_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - started) * 1000000::float8)::int8;
    RETURN NEXT;
END
$function$;
