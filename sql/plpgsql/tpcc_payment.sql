-- Payment (clause 2.5): takes an amount from a customer told by c_id or by c_last.
--
-- One statement changes customer, district and warehouse, in this order, since each needs the row before it.
CREATE OR REPLACE FUNCTION {schema}.tpcc_payment(
    w_id int4, d_id int4, c_w_id int4, c_d_id int4, c_id int4, c_last text, amount numeric, schema text DEFAULT {schema_literal}
) RETURNS TABLE (
    customer_id int4, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text, d_street_1 text, d_street_2 text,
    d_city text, d_state text, d_zip text, c_first text, c_middle text, customer_last text, c_street_1 text, c_street_2 text,
    c_city text, c_state text, c_zip text, c_phone text, c_since timestamptz, c_credit text, c_credit_lim numeric,
    c_discount numeric, c_balance numeric, c_data text, h_amount numeric, h_date timestamptz, server_us int8
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 AS $function$
#variable_conflict use_column
BEGIN
    h_date := pg_catalog.clock_timestamp();
    h_amount := pg_catalog.round(amount, 2);
    IF (schema = {schema_literal} AND w_id >= 1 AND d_id >= 1 AND d_id <= 10 AND c_w_id >= 1 AND c_d_id >= 1 AND c_d_id <= 10
        AND h_amount >= 1::numeric AND h_amount <= 5000::numeric AND h_amount = amount
        AND CASE WHEN c_last IS NULL THEN c_id >= 1 AND c_id <= 3000
                 ELSE c_id IS NULL AND pg_catalog.octet_length(c_last) <= 16 END) IS NOT TRUE
    THEN
        PERFORM {schema}.tpcc_require('w_id', w_id, 1, 2147483647);
        PERFORM {schema}.tpcc_require('d_id', d_id, 1, 10);
        PERFORM {schema}.tpcc_require('c_w_id', c_w_id, 1, 2147483647);
        PERFORM {schema}.tpcc_require('c_d_id', c_d_id, 1, 10);
        PERFORM {schema}.tpcc_require_customer(c_id, c_last);
        IF amount IS NULL THEN
            PERFORM {schema}.tpcc_require('amount', NULL, 0, 0);
        ELSIF amount < 1::numeric OR amount > 5000::numeric OR h_amount <> amount THEN
            RAISE EXCEPTION 'amount is %: 1.00 to 5000.00 in whole cents was expected', amount USING ERRCODE = '22023';
        END IF;
        PERFORM {schema}.tpcc_require_schema(schema, 'tpcc_payment');
        RETURN QUERY EXECUTE pg_catalog.format('SELECT * FROM %I.tpcc_payment($1, $2, $3, $4, $5, $6, $7, $8)', schema)
            USING w_id, d_id, c_w_id, c_d_id, c_id, c_last, amount, schema;
        RETURN;
    END IF;

    IF c_last IS NULL THEN
        customer_id := c_id;
    ELSE
        -- Clause 2.5.2.2: of the customers of that name, the middle one by first name.
        SELECT named.ids[(pg_catalog.cardinality(named.ids) + 1) / 2]
        INTO customer_id
        FROM (
            SELECT pg_catalog.array_agg(sorted.c_id) AS ids
            FROM (
                SELECT customer.c_id
                FROM {schema}.customer
                WHERE customer.c_w_id = tpcc_payment.c_w_id AND customer.c_d_id = tpcc_payment.c_d_id
                  AND customer.c_last::text = tpcc_payment.c_last
                ORDER BY customer.c_first, customer.c_id
            ) AS sorted
        ) AS named;
        IF customer_id IS NULL THEN
            PERFORM {schema}.tpcc_no_such_row(
                pg_catalog.format('a customer named %s of district %s of warehouse %s', c_last, c_d_id, c_w_id), c_w_id);
        END IF;
    END IF;

    WITH customer_paid AS (
        UPDATE {schema}.customer
        SET c_balance = c_balance - h_amount,
            c_ytd_payment = c_ytd_payment + h_amount,
            c_payment_cnt = c_payment_cnt + 1,
            c_data = CASE WHEN c_credit = 'BC' THEN pg_catalog."left"(pg_catalog.concat_ws(' ', customer_id, tpcc_payment.c_d_id,
                         tpcc_payment.c_w_id, tpcc_payment.d_id, tpcc_payment.w_id, h_amount, c_data), 500) ELSE c_data END
        WHERE customer.c_w_id = tpcc_payment.c_w_id AND customer.c_d_id = tpcc_payment.c_d_id AND customer.c_id = customer_id
        RETURNING c_first, c_middle, customer.c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit,
            c_credit_lim, c_discount, c_balance, CASE WHEN c_credit = 'BC' THEN pg_catalog."left"(c_data::text, 200) END AS shown_data
    ), district_paid AS (
        UPDATE {schema}.district
        SET d_ytd = d_ytd + h_amount
        FROM customer_paid
        WHERE d_w_id = tpcc_payment.w_id AND district.d_id = tpcc_payment.d_id
        RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip
    ), warehouse_paid AS (
        UPDATE {schema}.warehouse
        SET w_ytd = w_ytd + h_amount
        FROM district_paid
        WHERE warehouse.w_id = tpcc_payment.w_id
        RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip, d_name, d_street_1, d_street_2, d_city, d_state, d_zip
    ), remembered AS (
        INSERT INTO {schema}.history (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
        SELECT tpcc_payment.h_date, customer_id, tpcc_payment.c_w_id, tpcc_payment.w_id, tpcc_payment.c_d_id, tpcc_payment.d_id,
               tpcc_payment.h_amount, w_name::text || '    ' || d_name::text
        FROM warehouse_paid
    )
    SELECT w.w_street_1, w.w_street_2, w.w_city, w.w_state, w.w_zip, w.d_street_1, w.d_street_2, w.d_city, w.d_state, w.d_zip,
           c.c_first, c.c_middle, c.c_last, c.c_street_1, c.c_street_2, c.c_city, c.c_state, c.c_zip, c.c_phone, c.c_since,
           c.c_credit, c.c_credit_lim, c.c_discount, c.c_balance, c.shown_data
    INTO w_street_1, w_street_2, w_city, w_state, w_zip, d_street_1, d_street_2, d_city, d_state, d_zip,
         c_first, c_middle, customer_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since,
         c_credit, c_credit_lim, c_discount, c_balance, c_data
    FROM customer_paid AS c, warehouse_paid AS w;

    IF NOT FOUND THEN
        IF NOT EXISTS (
            SELECT FROM {schema}.customer
            WHERE customer.c_w_id = tpcc_payment.c_w_id AND customer.c_d_id = tpcc_payment.c_d_id AND customer.c_id = customer_id
        ) THEN
            PERFORM {schema}.tpcc_no_such_row(
                pg_catalog.format('customer %s of district %s of warehouse %s', customer_id, c_d_id, c_w_id), c_w_id);
        END IF;
        PERFORM {schema}.tpcc_no_such_row(pg_catalog.format('district %s of warehouse %s', d_id, w_id), w_id);
    END IF;
    server_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - h_date) * 1000000::float8)::int8;
    RETURN NEXT;
END
$function$;
