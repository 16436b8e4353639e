-- The nine tables of TPC-C (clause 1.3) and the four tables in which a schema remembers what was done to it.
--
-- Placeholders: schema is a quoted identifier, unlogged is empty or UNLOGGED, fillfactor_<table> is a percentage.
-- Every statement may be repeated: what exists is left as it is.
-- Columns are ordered by alignment, not as in the standard. Keys are added after the load (indexes.sql).
-- w_ytd, d_ytd and the customer's sums are wider than the standard's numeric(12,2): long runs overflow that.

CREATE {unlogged} TABLE IF NOT EXISTS {schema}.warehouse (
    w_id int4 NOT NULL,
    w_ytd numeric(16,2) NOT NULL,
    w_tax numeric(4,4) NOT NULL,
    w_name varchar(10) NOT NULL,
    w_street_1 varchar(20) NOT NULL,
    w_street_2 varchar(20) NOT NULL,
    w_city varchar(20) NOT NULL,
    w_state char(2) NOT NULL,
    w_zip char(9) NOT NULL
) WITH (fillfactor = {fillfactor_warehouse});

CREATE {unlogged} TABLE IF NOT EXISTS {schema}.district (
    d_w_id int4 NOT NULL,
    d_next_o_id int4 NOT NULL,
    d_id int2 NOT NULL,
    d_ytd numeric(16,2) NOT NULL,
    d_tax numeric(4,4) NOT NULL,
    d_name varchar(10) NOT NULL,
    d_street_1 varchar(20) NOT NULL,
    d_street_2 varchar(20) NOT NULL,
    d_city varchar(20) NOT NULL,
    d_state char(2) NOT NULL,
    d_zip char(9) NOT NULL
) WITH (fillfactor = {fillfactor_district});

-- The names' collation is fixed, so that "sorted by c_first" (2.5.2.2) means the same in every database.
CREATE {unlogged} TABLE IF NOT EXISTS {schema}.customer (
    c_since timestamptz NOT NULL,
    c_w_id int4 NOT NULL,
    c_id int4 NOT NULL,
    c_payment_cnt int4 NOT NULL,
    c_delivery_cnt int4 NOT NULL,
    c_d_id int2 NOT NULL,
    c_credit_lim numeric(12,2) NOT NULL,
    c_discount numeric(4,4) NOT NULL,
    c_balance numeric(16,2) NOT NULL,
    c_ytd_payment numeric(16,2) NOT NULL,
    c_credit char(2) NOT NULL,
    c_middle char(2) NOT NULL,
    c_first varchar(16) COLLATE "C" NOT NULL,
    c_last varchar(16) COLLATE "C" NOT NULL,
    c_street_1 varchar(20) NOT NULL,
    c_street_2 varchar(20) NOT NULL,
    c_city varchar(20) NOT NULL,
    c_state char(2) NOT NULL,
    c_zip char(9) NOT NULL,
    c_phone char(16) NOT NULL,
    c_data varchar(500) NOT NULL
) WITH (fillfactor = {fillfactor_customer});

CREATE {unlogged} TABLE IF NOT EXISTS {schema}.history (
    h_date timestamptz NOT NULL,
    h_c_id int4 NOT NULL,
    h_c_w_id int4 NOT NULL,
    h_w_id int4 NOT NULL,
    h_c_d_id int2 NOT NULL,
    h_d_id int2 NOT NULL,
    h_amount numeric(6,2) NOT NULL,
    h_data varchar(24) NOT NULL
) WITH (fillfactor = {fillfactor_history});

CREATE {unlogged} TABLE IF NOT EXISTS {schema}.new_order (
    no_w_id int4 NOT NULL,
    no_o_id int4 NOT NULL,
    no_d_id int2 NOT NULL
) WITH (fillfactor = {fillfactor_new_order});

CREATE {unlogged} TABLE IF NOT EXISTS {schema}.orders (
    o_entry_d timestamptz NOT NULL,
    o_id int4 NOT NULL,
    o_w_id int4 NOT NULL,
    o_c_id int4 NOT NULL,
    o_d_id int2 NOT NULL,
    o_ol_cnt int2 NOT NULL,
    o_all_local int2 NOT NULL,
    o_carrier_id int2
) WITH (fillfactor = {fillfactor_orders});

CREATE {unlogged} TABLE IF NOT EXISTS {schema}.order_line (
    ol_o_id int4 NOT NULL,
    ol_w_id int4 NOT NULL,
    ol_i_id int4 NOT NULL,
    ol_supply_w_id int4 NOT NULL,
    ol_d_id int2 NOT NULL,
    ol_number int2 NOT NULL,
    ol_quantity int2 NOT NULL,
    ol_delivery_d timestamptz,
    ol_amount numeric(6,2) NOT NULL,
    ol_dist_info char(24) NOT NULL
) WITH (fillfactor = {fillfactor_order_line});

CREATE {unlogged} TABLE IF NOT EXISTS {schema}.item (
    i_id int4 NOT NULL,
    i_im_id int4 NOT NULL,
    i_price numeric(5,2) NOT NULL,
    i_name varchar(24) NOT NULL,
    i_data varchar(50) NOT NULL
) WITH (fillfactor = {fillfactor_item});

CREATE {unlogged} TABLE IF NOT EXISTS {schema}.stock (
    s_w_id int4 NOT NULL,
    s_i_id int4 NOT NULL,
    s_ytd int4 NOT NULL,
    s_order_cnt int4 NOT NULL,
    s_remote_cnt int4 NOT NULL,
    s_quantity int2 NOT NULL,
    s_dist_01 char(24) NOT NULL,
    s_dist_02 char(24) NOT NULL,
    s_dist_03 char(24) NOT NULL,
    s_dist_04 char(24) NOT NULL,
    s_dist_05 char(24) NOT NULL,
    s_dist_06 char(24) NOT NULL,
    s_dist_07 char(24) NOT NULL,
    s_dist_08 char(24) NOT NULL,
    s_dist_09 char(24) NOT NULL,
    s_dist_10 char(24) NOT NULL,
    s_data varchar(50) NOT NULL
) WITH (fillfactor = {fillfactor_stock});

-- One row a unit that is completely in the heap: ('item', 0) or ('warehouse', w_id), written together with its last rows.
-- Unlogged with the data: a crash that empties the tables must forget that they were loaded.
CREATE {unlogged} TABLE IF NOT EXISTS {schema}.tpcc_load (
    part text NOT NULL CHECK (part IN ('item', 'warehouse')),
    w_id int4 NOT NULL,
    seed int8 NOT NULL,
    rows int8 NOT NULL,
    seconds float8 NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (part, w_id)
);

-- One row a part of a warehouse that is not there as a whole yet, written in the transaction that wrote the part's rows.
CREATE {unlogged} TABLE IF NOT EXISTS {schema}.tpcc_load_part (
    part text NOT NULL CHECK (part IN ('orders', 'stock', 'customers')),
    w_id int4 NOT NULL,
    rows int8 NOT NULL,
    seconds float8 NOT NULL,
    PRIMARY KEY (part, w_id)
);

-- One row: the choices that later loads and runs on this schema must keep to.
CREATE TABLE IF NOT EXISTS {schema}.tpcc_scale (
    only_row bool PRIMARY KEY DEFAULT true CHECK (only_row),
    seed int8 NOT NULL,
    c_last_load int4 NOT NULL CHECK (c_last_load BETWEEN 0 AND 255), -- NURand's C for last names (2.1.6.1)
    foreign_keys bool NOT NULL,
    unlogged bool NOT NULL,
    fillfactors jsonb NOT NULL,
    version text NOT NULL, -- of the extension that made the schema
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row a run.
CREATE TABLE IF NOT EXISTS {schema}.tpcc_results (
    run_id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    run_by name NOT NULL DEFAULT current_user,
    result jsonb NOT NULL
);
