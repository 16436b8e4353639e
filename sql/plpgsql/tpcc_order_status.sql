-- Order-Status (clause 2.6): a customer, told by c_id or c_last, and its newest order. Reads only.
CREATE OR REPLACE FUNCTION {schema}.tpcc_order_status(
    w_id int4, d_id int4, c_id int4, c_last text, schema text DEFAULT {schema_literal}
) RETURNS TABLE (
    customer_id int4, c_first text, c_middle text, customer_last text, c_balance numeric, o_id int4, o_entry_d timestamptz,
    o_carrier_id int4, ol_supply_w_ids int4[], ol_i_ids int4[], ol_quantities int4[], ol_amounts numeric[],
    ol_delivery_ds timestamptz[], server_us int8
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 AS $function$
#variable_conflict use_column
DECLARE
    started timestamptz := pg_catalog.clock_timestamp();
BEGIN
    IF (schema = {schema_literal} AND w_id >= 1 AND d_id >= 1 AND d_id <= 10
        AND CASE WHEN c_last IS NULL THEN c_id >= 1 AND c_id <= 3000
                 ELSE c_id IS NULL AND pg_catalog.octet_length(c_last) <= 16 END) IS NOT TRUE
    THEN
        PERFORM {schema}.tpcc_require('w_id', w_id, 1, 2147483647);
        PERFORM {schema}.tpcc_require('d_id', d_id, 1, 10);
        PERFORM {schema}.tpcc_require_customer(c_id, c_last);
        PERFORM {schema}.tpcc_require_schema(schema, 'tpcc_order_status');
        RETURN QUERY EXECUTE pg_catalog.format('SELECT * FROM %I.tpcc_order_status($1, $2, $3, $4, $5)', schema)
            USING w_id, d_id, c_id, c_last, schema;
        RETURN;
    END IF;

    IF c_last IS NULL THEN
        customer_id := c_id;
    ELSE
        -- Clause 2.6.2.2: of the customers of that name, the middle one by first name.
        SELECT named.ids[(pg_catalog.cardinality(named.ids) + 1) / 2]
        INTO customer_id
        FROM (
            SELECT pg_catalog.array_agg(sorted.c_id) AS ids
            FROM (
                SELECT customer.c_id
                FROM {schema}.customer
                WHERE c_w_id = tpcc_order_status.w_id AND c_d_id = tpcc_order_status.d_id
                  AND customer.c_last::text = tpcc_order_status.c_last
                ORDER BY customer.c_first, customer.c_id
            ) AS sorted
        ) AS named;
        IF customer_id IS NULL THEN
            PERFORM {schema}.tpcc_no_such_row(
                pg_catalog.format('a customer named %s of district %s of warehouse %s', c_last, d_id, w_id), w_id);
        END IF;
    END IF;

    SELECT customer.c_first, customer.c_middle, customer.c_last, customer.c_balance, newest.o_id, newest.o_entry_d,
           newest.o_carrier_id
    INTO c_first, c_middle, customer_last, c_balance, o_id, o_entry_d, o_carrier_id
    FROM {schema}.customer
    LEFT JOIN LATERAL (
        SELECT orders.o_id, orders.o_entry_d, orders.o_carrier_id
        FROM {schema}.orders
        WHERE o_w_id = tpcc_order_status.w_id AND o_d_id = tpcc_order_status.d_id AND o_c_id = tpcc_order_status.customer_id
        ORDER BY orders.o_id DESC
        LIMIT 1
    ) AS newest ON true
    WHERE c_w_id = tpcc_order_status.w_id AND c_d_id = tpcc_order_status.d_id AND customer.c_id = tpcc_order_status.customer_id;
    IF NOT FOUND THEN
        PERFORM {schema}.tpcc_no_such_row(
            pg_catalog.format('customer %s of district %s of warehouse %s', customer_id, d_id, w_id), w_id);
    END IF;
    IF o_id IS NULL THEN
        -- A customer without an order: number 0 of the year 2000, with no lines.
        o_id := 0;
        o_entry_d := '2000-01-01 00:00:00+00';
    END IF;

    SELECT coalesce(pg_catalog.array_agg(line.ol_supply_w_id), '{}'), coalesce(pg_catalog.array_agg(line.ol_i_id), '{}'),
           coalesce(pg_catalog.array_agg(line.ol_quantity), '{}'), coalesce(pg_catalog.array_agg(line.ol_amount), '{}'),
           coalesce(pg_catalog.array_agg(line.ol_delivery_d), '{}')
    INTO ol_supply_w_ids, ol_i_ids, ol_quantities, ol_amounts, ol_delivery_ds
    FROM (
        SELECT ol_supply_w_id, ol_i_id, ol_quantity::int4 AS ol_quantity, ol_amount, ol_delivery_d
        FROM {schema}.order_line
        WHERE ol_w_id = tpcc_order_status.w_id AND ol_d_id = tpcc_order_status.d_id AND ol_o_id = tpcc_order_status.o_id
        ORDER BY ol_number
    ) AS line;
    server_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - started) * 1000000::float8)::int8;
    RETURN NEXT;
END
$function$;
