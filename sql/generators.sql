-- The generators: the initial population as row sources (clause 4.3.3.1), a function a table, with the table's own columns.
--
-- Run as part of CREATE EXTENSION. The rows depend on the arguments alone, so an INSERT ... SELECT of them may be run
-- in parallel, pushed to other servers, and repeated. COST and ROWS are what the planner should know.

CREATE FUNCTION tpcc_gen_item(seed int8 DEFAULT 1) RETURNS TABLE (
    i_id int4, i_im_id int4, i_price numeric, i_name varchar, i_data varchar
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100000
AS 'MODULE_PATHNAME', 'tpcc_gen_item_wrapper';

CREATE FUNCTION tpcc_gen_warehouse(warehouse int4, seed int8 DEFAULT 1) RETURNS TABLE (
    w_id int4, w_ytd numeric, w_tax numeric, w_name varchar, w_street_1 varchar, w_street_2 varchar,
    w_city varchar, w_state bpchar, w_zip bpchar
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1
AS 'MODULE_PATHNAME', 'tpcc_gen_warehouse_wrapper';

CREATE FUNCTION tpcc_gen_district(warehouse int4, seed int8 DEFAULT 1) RETURNS TABLE (
    d_w_id int4, d_next_o_id int4, d_id int2, d_ytd numeric, d_tax numeric, d_name varchar,
    d_street_1 varchar, d_street_2 varchar, d_city varchar, d_state bpchar, d_zip bpchar
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10
AS 'MODULE_PATHNAME', 'tpcc_gen_district_wrapper';

CREATE FUNCTION tpcc_gen_customer(warehouse int4, seed int8 DEFAULT 1) RETURNS TABLE (
    c_since timestamptz, c_w_id int4, c_id int4, c_payment_cnt int4, c_delivery_cnt int4, c_d_id int2,
    c_credit_lim numeric, c_discount numeric, c_balance numeric, c_ytd_payment numeric, c_credit bpchar,
    c_middle bpchar, c_first varchar, c_last varchar, c_street_1 varchar, c_street_2 varchar, c_city varchar,
    c_state bpchar, c_zip bpchar, c_phone bpchar, c_data varchar
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 30000
AS 'MODULE_PATHNAME', 'tpcc_gen_customer_wrapper';

CREATE FUNCTION tpcc_gen_history(warehouse int4, seed int8 DEFAULT 1) RETURNS TABLE (
    h_date timestamptz, h_c_id int4, h_c_w_id int4, h_w_id int4, h_c_d_id int2, h_d_id int2,
    h_amount numeric, h_data varchar
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 30000
AS 'MODULE_PATHNAME', 'tpcc_gen_history_wrapper';

CREATE FUNCTION tpcc_gen_orders(warehouse int4, seed int8 DEFAULT 1) RETURNS TABLE (
    o_entry_d timestamptz, o_id int4, o_w_id int4, o_c_id int4, o_d_id int2, o_ol_cnt int2, o_all_local int2,
    o_carrier_id int2
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 30000
AS 'MODULE_PATHNAME', 'tpcc_gen_orders_wrapper';

CREATE FUNCTION tpcc_gen_new_order(warehouse int4, seed int8 DEFAULT 1) RETURNS TABLE (
    no_w_id int4, no_o_id int4, no_d_id int2
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 9000
AS 'MODULE_PATHNAME', 'tpcc_gen_new_order_wrapper';

CREATE FUNCTION tpcc_gen_order_line(warehouse int4, seed int8 DEFAULT 1) RETURNS TABLE (
    ol_o_id int4, ol_w_id int4, ol_i_id int4, ol_supply_w_id int4, ol_d_id int2, ol_number int2,
    ol_quantity int2, ol_delivery_d timestamptz, ol_amount numeric, ol_dist_info bpchar
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 300000
AS 'MODULE_PATHNAME', 'tpcc_gen_order_line_wrapper';

CREATE FUNCTION tpcc_gen_stock(warehouse int4, seed int8 DEFAULT 1) RETURNS TABLE (
    s_w_id int4, s_i_id int4, s_ytd int4, s_order_cnt int4, s_remote_cnt int4, s_quantity int2,
    s_dist_01 bpchar, s_dist_02 bpchar, s_dist_03 bpchar, s_dist_04 bpchar, s_dist_05 bpchar,
    s_dist_06 bpchar, s_dist_07 bpchar, s_dist_08 bpchar, s_dist_09 bpchar, s_dist_10 bpchar, s_data varchar
) LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100000
AS 'MODULE_PATHNAME', 'tpcc_gen_stock_wrapper';
