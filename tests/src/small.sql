-- A schema small enough to compute with by hand: 2 warehouses, 10 districts each, 8 customers, 3 orders and 30 items.
-- {schema} is a quoted identifier. Tables are there, keys are not.

-- Item 1 costs 1.25, item 2 costs 2.25, ...; only item 2 is an ORIGINAL.
INSERT INTO {schema}.item (i_id, i_im_id, i_price, i_name, i_data)
SELECT i, i, i + 0.25, format('Item %s', lpad(i::text, 2, '0')), CASE i WHEN 2 THEN 'an ORIGINAL item' ELSE 'a plain item' END
FROM generate_series(1, 30) AS i;

INSERT INTO {schema}.warehouse (w_id, w_ytd, w_tax, w_name, w_street_1, w_street_2, w_city, w_state, w_zip)
VALUES (1, 800.00, 0.1000, 'W-One', 'First street 1', 'First floor', 'Onetown', 'AA', '111111111'),
       (2, 800.00, 0.0500, 'W-Two', 'Second street 2', 'Second floor', 'Twotown', 'BB', '222211111');

-- District 1 taxes 1%, district 2 taxes 2%, ...
INSERT INTO {schema}.district (d_w_id, d_next_o_id, d_id, d_ytd, d_tax, d_name, d_street_1, d_street_2, d_city, d_state, d_zip)
SELECT w_id, 4, d, 80.00, d / 100.0, format('D-%s-%s', w_id, d), 'Road 1', 'Road 2', 'Districtcity', 'CC', '333311111'
FROM {schema}.warehouse, generate_series(1, 10) AS d;

-- Names sort by bytes: Alpha (3), Bravo (2), Charlie (4), Delta (1); and A (7), B (8), a (6). Customer 5 is alone.
-- Customer 1 has a discount of 1%, customer 2 of 2%, ...; 5 and 6 have bad credit, 6 with the longest c_data there is.
INSERT INTO {schema}.customer (c_since, c_w_id, c_id, c_payment_cnt, c_delivery_cnt, c_d_id, c_credit_lim, c_discount,
    c_balance, c_ytd_payment, c_credit, c_middle, c_first, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_data)
SELECT '2026-01-01 00:00:00+00', d_w_id, c, 1, 0, d_id, 50000.00, c / 100.0, -10.00, 10.00,
       CASE WHEN c IN (5, 6) THEN 'BC' ELSE 'GC' END, 'OE',
       (ARRAY['Delta', 'Bravo', 'Alpha', 'Charlie', 'Alone', 'a', 'A', 'B'])[c],
       CASE WHEN c <= 4 THEN 'BARBARBAR' WHEN c = 5 THEN 'OUGHTOUGHTOUGHT' ELSE 'ABLEABLEABLE' END,
       'Lane 1', 'Lane 2', 'Customercity', 'DD', '444411111', '0123456789012345',
       CASE c WHEN 6 THEN rpad('long', 500, '.') ELSE 'old data' END
FROM {schema}.district, generate_series(1, 8) AS c;

INSERT INTO {schema}.history (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
SELECT '2026-01-01 00:00:00+00', c_id, c_w_id, c_w_id, c_d_id, c_d_id, 10.00, 'first payment'
FROM {schema}.customer;

-- Order 1 of customer 1 is delivered, orders 2 and 3 of customers 2 and 3 are new. Each has five lines, of items 1 to 5;
-- those of order 2 are worth 10.01 + 20.02 + 30.03 + 40.04 + 50.05 = 150.15, those of order 3 are worth 5.00.
INSERT INTO {schema}.orders (o_entry_d, o_id, o_w_id, o_c_id, o_d_id, o_ol_cnt, o_all_local, o_carrier_id)
SELECT '2026-01-01 00:00:00+00', o, d_w_id, o, d_id, 5, 1, CASE o WHEN 1 THEN 7 END
FROM {schema}.district, generate_series(1, 3) AS o;

INSERT INTO {schema}.new_order (no_w_id, no_o_id, no_d_id)
SELECT o_w_id, o_id, o_d_id FROM {schema}.orders WHERE o_carrier_id IS NULL;

INSERT INTO {schema}.order_line (ol_o_id, ol_w_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number, ol_quantity, ol_delivery_d,
    ol_amount, ol_dist_info)
SELECT o_id, o_w_id, n, o_w_id, o_d_id, n, 5, CASE o_id WHEN 1 THEN o_entry_d END,
       CASE o_id WHEN 1 THEN 0.00 WHEN 2 THEN n * 10.01 ELSE 1.00 END, rpad('loaded', 24, '.')
FROM {schema}.orders, generate_series(1, 5) AS n;

-- Each has 50 in stock; only warehouse 1's item 2 is an ORIGINAL; s_dist_03 of item 7 in warehouse 2 is w2-i07-d03.......
INSERT INTO {schema}.stock (s_w_id, s_i_id, s_ytd, s_order_cnt, s_remote_cnt, s_quantity, s_dist_01, s_dist_02, s_dist_03,
    s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_data)
SELECT w_id, i_id, 0, 0, 0, 50, rpad(p || '01', 24, '.'), rpad(p || '02', 24, '.'), rpad(p || '03', 24, '.'),
       rpad(p || '04', 24, '.'), rpad(p || '05', 24, '.'), rpad(p || '06', 24, '.'), rpad(p || '07', 24, '.'),
       rpad(p || '08', 24, '.'), rpad(p || '09', 24, '.'), rpad(p || '10', 24, '.'),
       CASE WHEN w_id = 1 AND i_id = 2 THEN 'an ORIGINAL in stock' ELSE 'a plain one in stock' END
FROM {schema}.warehouse, {schema}.item,
     LATERAL (SELECT format('w%s-i%s-d', w_id, lpad(i_id::text, 2, '0')) AS p) AS prefix;

INSERT INTO {schema}.tpcc_load (part, w_id, seed, rows, seconds) VALUES ('item', 0, 1, 30, 0), ('warehouse', 1, 1, 1000, 0), ('warehouse', 2, 1, 1000, 0);
INSERT INTO {schema}.tpcc_scale (seed, c_last_load, foreign_keys, unlogged, fillfactors, version)
VALUES (1, 123, {foreign_keys}, false, '{}', '0.1.0');
