-- New-Order (clause 2.4): enters an order of 5 to 15 lines.
--
-- One statement does all of it where every item exists and none is repeated: it looks the items up, takes the lines from
-- stock in the order of (warehouse, item), then the order's number from the district, and enters the order. Where an item
-- is unused or repeated, that statement changes nothing, and the lines are taken from stock one by one: a statement
-- changes a row once only, and an unused item's order is undone.
--
-- Types of both sides of an operator are those that pg_catalog has one for, functions are qualified: whatever the
-- search_path holds, no other is found.
CREATE OR REPLACE FUNCTION {schema}.tpcc_new_order(
    w_id int4, d_id int4, c_id int4, item_ids int4[], supply_w_ids int4[], quantities int4[],
    schema text DEFAULT {schema_literal}, report_rollback bool DEFAULT false
) RETURNS TABLE (
    o_id int4, o_entry_d timestamptz, o_ol_cnt int4, c_last text, c_credit text, c_discount numeric, w_tax numeric,
    d_tax numeric, total_amount numeric, status text, i_names text[], s_quantities int4[], brand_generic text[],
    i_prices numeric[], ol_amounts numeric[], server_us int8
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 AS $function$
#variable_conflict use_column
DECLARE
    line_count int4 := pg_catalog.cardinality(item_ids);
    sum_amount numeric;
    dist_infos text[];
    line record;
    entered record;
BEGIN
    o_entry_d := pg_catalog.clock_timestamp();
    IF (schema = {schema_literal} AND report_rollback IS NOT NULL
        AND w_id >= 1 AND d_id >= 1 AND d_id <= 10 AND c_id >= 1 AND c_id <= 3000
        AND line_count >= 5 AND line_count <= 15
        AND pg_catalog.cardinality(supply_w_ids) = line_count AND pg_catalog.cardinality(quantities) = line_count
        AND pg_catalog.array_position(item_ids, NULL) IS NULL
        AND 1 <= ALL (supply_w_ids) AND 1 <= ALL (quantities) AND 10 >= ALL (quantities)) IS NOT TRUE
    THEN
        IF report_rollback IS NULL THEN
            PERFORM {schema}.tpcc_require('report_rollback', NULL, 0, 0);
        END IF;
        PERFORM {schema}.tpcc_require_lines(item_ids, supply_w_ids, quantities);
        PERFORM {schema}.tpcc_require('w_id', tpcc_new_order.w_id, 1, 2147483647);
        PERFORM {schema}.tpcc_require('d_id', tpcc_new_order.d_id, 1, 10);
        PERFORM {schema}.tpcc_require('c_id', tpcc_new_order.c_id, 1, 3000);
        PERFORM {schema}.tpcc_require_schema(schema, 'tpcc_new_order');
        RETURN QUERY EXECUTE pg_catalog.format('SELECT * FROM %I.tpcc_new_order($1, $2, $3, $4, $5, $6, $7, $8)', schema)
            USING tpcc_new_order.w_id, tpcc_new_order.d_id, tpcc_new_order.c_id, item_ids, supply_w_ids, quantities, schema, report_rollback;
        RETURN;
    END IF;
    o_ol_cnt := line_count;
    status := '';

    -- Lists of set-returning functions are not materialised, as they are in FROM. 15 and not line_count: the planner takes
    -- a number of rows that it does not know for 1,000, and would then plan this statement anew at each call. The rows
    -- beyond the last line have no item, and no item joins them.
    WITH line AS MATERIALIZED (
        SELECT asked.n, asked.item, asked.supply, asked.quantity, i_price, i_name, i_data
        FROM (
            SELECT pg_catalog.generate_series(1, 15), pg_catalog.unnest(item_ids), pg_catalog.unnest(supply_w_ids),
                   pg_catalog.unnest(quantities)
        ) AS asked (n, item, supply, quantity)
        JOIN {schema}.item ON i_id = asked.item
    ), sold AS (
        UPDATE {schema}.stock
        SET s_quantity = CASE WHEN s_quantity >= ordered.quantity + 10 THEN s_quantity - ordered.quantity
                              ELSE s_quantity - ordered.quantity + 91 END,
            s_ytd = s_ytd + ordered.quantity,
            s_order_cnt = s_order_cnt + 1,
            s_remote_cnt = s_remote_cnt + CASE ordered.supply WHEN tpcc_new_order.w_id THEN 0 ELSE 1 END
        FROM (
            SELECT line.*
            FROM line
            WHERE (SELECT pg_catalog.count(DISTINCT counted.item) FROM line AS counted) = line_count
            ORDER BY line.supply, line.item
        ) AS ordered
        WHERE s_w_id = ordered.supply AND s_i_id = ordered.item
        RETURNING ordered.n, ordered.item, ordered.supply, ordered.quantity, ordered.i_price, ordered.i_name::text AS i_name,
            s_quantity::int4 AS s_quantity, ordered.i_price * ordered.quantity::numeric AS amount,
            CASE WHEN pg_catalog.strpos(ordered.i_data::text, 'ORIGINAL') > 0 AND pg_catalog.strpos(s_data::text, 'ORIGINAL') > 0
                 THEN 'B' ELSE 'G' END AS brand,
            CASE tpcc_new_order.d_id
                WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
                WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
                WHEN 9 THEN s_dist_09 ELSE s_dist_10 END AS dist_info
    ), taken AS (
        UPDATE {schema}.district
        SET d_next_o_id = d_next_o_id + 1
        FROM {schema}.warehouse, {schema}.customer
        WHERE d_w_id = tpcc_new_order.w_id AND district.d_id = tpcc_new_order.d_id
          AND warehouse.w_id = tpcc_new_order.w_id
          AND c_w_id = tpcc_new_order.w_id AND c_d_id = tpcc_new_order.d_id AND customer.c_id = tpcc_new_order.c_id
          AND (SELECT pg_catalog.count(*) FROM sold) = line_count
        RETURNING d_next_o_id - 1 AS o_id, d_tax, w_tax, c_discount, c_last::text AS c_last, c_credit::text AS c_credit
    ), new_orders AS (
        INSERT INTO {schema}.orders (o_entry_d, o_id, o_w_id, o_c_id, o_d_id, o_ol_cnt, o_all_local, o_carrier_id)
        SELECT tpcc_new_order.o_entry_d, taken.o_id, tpcc_new_order.w_id, tpcc_new_order.c_id, tpcc_new_order.d_id, line_count,
               CASE WHEN tpcc_new_order.w_id = ALL (supply_w_ids) THEN 1 ELSE 0 END, NULL
        FROM taken
    ), undelivered AS (
        INSERT INTO {schema}.new_order (no_w_id, no_o_id, no_d_id)
        SELECT tpcc_new_order.w_id, taken.o_id, tpcc_new_order.d_id FROM taken
    ), new_lines AS (
        INSERT INTO {schema}.order_line (ol_o_id, ol_w_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number, ol_quantity,
                                         ol_delivery_d, ol_amount, ol_dist_info)
        SELECT taken.o_id, tpcc_new_order.w_id, sold.item, sold.supply, tpcc_new_order.d_id, sold.n, sold.quantity, NULL,
               sold.amount, sold.dist_info
        FROM taken, sold
    )
    SELECT taken.o_id, taken.d_tax, taken.w_tax, taken.c_discount, taken.c_last, taken.c_credit, shown.i_names,
           shown.s_quantities, shown.brands, shown.i_prices, shown.amounts,
           pg_catalog.round(shown.sum_amount * (1::numeric - taken.c_discount) * (1::numeric + (taken.w_tax + taken.d_tax)), 2)
    INTO o_id, d_tax, w_tax, c_discount, c_last, c_credit, i_names, s_quantities, brand_generic, i_prices, ol_amounts, total_amount
    FROM taken, (
        SELECT pg_catalog.array_agg(line.i_name) AS i_names, pg_catalog.array_agg(line.s_quantity) AS s_quantities,
               pg_catalog.array_agg(line.brand) AS brands, pg_catalog.array_agg(line.i_price) AS i_prices,
               pg_catalog.array_agg(line.amount) AS amounts, pg_catalog.sum(line.amount) AS sum_amount
        FROM (SELECT sold.* FROM sold ORDER BY sold.n) AS line
    ) AS shown;

    IF NOT FOUND THEN
        i_names := pg_catalog.array_fill(NULL::text, ARRAY[line_count]);
        brand_generic := i_names;
        dist_infos := i_names;
        s_quantities := pg_catalog.array_fill(NULL::int4, ARRAY[line_count]);
        i_prices := pg_catalog.array_fill(NULL::numeric, ARRAY[line_count]);
        ol_amounts := i_prices;
        sum_amount := 0;
        BEGIN
            FOR line IN
                SELECT asked.n, asked.item, asked.supply, asked.quantity, i_price, i_name::text AS i_name, i_data::text AS i_data
                FROM ROWS FROM (pg_catalog.unnest(item_ids), pg_catalog.unnest(supply_w_ids), pg_catalog.unnest(quantities))
                     WITH ORDINALITY AS asked (item, supply, quantity, n)
                JOIN {schema}.item ON i_id = asked.item
                ORDER BY asked.supply, asked.item, asked.n
            LOOP
                UPDATE {schema}.stock
                SET s_quantity = CASE WHEN s_quantity >= line.quantity + 10 THEN s_quantity - line.quantity
                                      ELSE s_quantity - line.quantity + 91 END,
                    s_ytd = s_ytd + line.quantity,
                    s_order_cnt = s_order_cnt + 1,
                    s_remote_cnt = s_remote_cnt + CASE line.supply WHEN tpcc_new_order.w_id THEN 0 ELSE 1 END
                WHERE s_w_id = line.supply AND s_i_id = line.item
                RETURNING s_quantity, pg_catalog.strpos(s_data::text, 'ORIGINAL') > 0 AS is_original,
                    CASE tpcc_new_order.d_id
                        WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
                        WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
                        WHEN 9 THEN s_dist_09 ELSE s_dist_10 END AS dist_info
                INTO entered;
                IF NOT FOUND THEN
                    PERFORM {schema}.tpcc_no_such_row(
                        pg_catalog.format('stock of item %s in warehouse %s', line.item, line.supply), line.supply);
                END IF;
                i_names[line.n] := line.i_name;
                s_quantities[line.n] := entered.s_quantity;
                brand_generic[line.n] :=
                    CASE WHEN entered.is_original AND pg_catalog.strpos(line.i_data, 'ORIGINAL') > 0 THEN 'B' ELSE 'G' END;
                i_prices[line.n] := line.i_price;
                ol_amounts[line.n] := line.i_price * line.quantity::numeric;
                dist_infos[line.n] := entered.dist_info;
                sum_amount := sum_amount + ol_amounts[line.n];
            END LOOP;

            UPDATE {schema}.district
            SET d_next_o_id = d_next_o_id + 1
            FROM {schema}.warehouse, {schema}.customer
            WHERE d_w_id = tpcc_new_order.w_id AND district.d_id = tpcc_new_order.d_id
              AND warehouse.w_id = tpcc_new_order.w_id
              AND c_w_id = tpcc_new_order.w_id AND c_d_id = tpcc_new_order.d_id AND customer.c_id = tpcc_new_order.c_id
            RETURNING d_next_o_id - 1, d_tax, w_tax, c_discount, c_last, c_credit
            INTO o_id, d_tax, w_tax, c_discount, c_last, c_credit;
            IF NOT FOUND THEN
                PERFORM {schema}.tpcc_no_such_row(
                    pg_catalog.format('customer %s of district %s of warehouse %s', tpcc_new_order.c_id, tpcc_new_order.d_id,
                                      tpcc_new_order.w_id), tpcc_new_order.w_id);
            END IF;

            WITH new_orders AS (
                INSERT INTO {schema}.orders (o_entry_d, o_id, o_w_id, o_c_id, o_d_id, o_ol_cnt, o_all_local, o_carrier_id)
                VALUES (tpcc_new_order.o_entry_d, tpcc_new_order.o_id, tpcc_new_order.w_id, tpcc_new_order.c_id, tpcc_new_order.d_id,
                        line_count, CASE WHEN tpcc_new_order.w_id = ALL (supply_w_ids) THEN 1 ELSE 0 END, NULL)
            ), undelivered AS (
                INSERT INTO {schema}.new_order (no_w_id, no_o_id, no_d_id)
                VALUES (tpcc_new_order.w_id, tpcc_new_order.o_id, tpcc_new_order.d_id)
            )
            INSERT INTO {schema}.order_line (ol_o_id, ol_w_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number, ol_quantity,
                                             ol_delivery_d, ol_amount, ol_dist_info)
            SELECT tpcc_new_order.o_id, tpcc_new_order.w_id, entry.item, entry.supply, tpcc_new_order.d_id, entry.n, entry.quantity,
                   NULL, entry.amount, entry.dist_info
            FROM ROWS FROM (pg_catalog.unnest(item_ids), pg_catalog.unnest(supply_w_ids), pg_catalog.unnest(quantities),
                            pg_catalog.unnest(ol_amounts), pg_catalog.unnest(dist_infos)) WITH ORDINALITY
                 AS entry (item, supply, quantity, amount, dist_info, n)
            WHERE entry.amount IS NOT NULL;

            total_amount := pg_catalog.round(sum_amount * (1::numeric - c_discount) * (1::numeric + (w_tax + d_tax)), 2);
            IF pg_catalog.array_position(i_names, NULL) IS NOT NULL THEN
                RAISE EXCEPTION 'Item number is not valid' USING ERRCODE = 'TC001', DETAIL = pg_catalog.format(
                    'No item has the number %s; the order is rolled back.',
                    (SELECT pg_catalog.string_agg(asked.item::text, ', ')
                     FROM ROWS FROM (pg_catalog.unnest(item_ids), pg_catalog.unnest(i_names)) AS asked (item, i_name) WHERE asked.i_name IS NULL));
            END IF;
        EXCEPTION WHEN SQLSTATE 'TC001' THEN
            IF NOT report_rollback THEN
                RAISE;
            END IF;
            status := 'Item number is not valid';
        END;
    END IF;
    server_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - o_entry_d) * 1000000::float8)::int8;
    RETURN NEXT;
END
$function$;
