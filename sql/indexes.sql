-- Keys and indexes, built after the rows are there (clause 1.3; the accesses of 2.5.2.2 and 2.6.2.2).
--
-- Each block is one job: "-- index: <table> <name>" or "-- constraint: <table> <name>", then one statement.
-- An index job takes a SHARE lock only, so several run at once, even on one table; it may be repeated, and a job that
-- was cut short leaves nothing behind. A constraint job adopts a finished index without reading the table; it follows
-- all index jobs and is left out where pg_constraint has the name already. The longest jobs come first.

-- index: order_line order_line_pkey
CREATE UNIQUE INDEX IF NOT EXISTS order_line_pkey ON {schema}.order_line (ol_w_id, ol_d_id, ol_o_id, ol_number);

-- index: stock stock_pkey
CREATE UNIQUE INDEX IF NOT EXISTS stock_pkey ON {schema}.stock (s_w_id, s_i_id);

-- index: customer customer_pkey
CREATE UNIQUE INDEX IF NOT EXISTS customer_pkey ON {schema}.customer (c_w_id, c_d_id, c_id);

-- index: customer customer_name_idx
CREATE INDEX IF NOT EXISTS customer_name_idx ON {schema}.customer (c_w_id, c_d_id, c_last, c_first, c_id);

-- index: orders orders_pkey
CREATE UNIQUE INDEX IF NOT EXISTS orders_pkey ON {schema}.orders (o_w_id, o_d_id, o_id);

-- index: orders orders_customer_idx
CREATE INDEX IF NOT EXISTS orders_customer_idx ON {schema}.orders (o_w_id, o_d_id, o_c_id, o_id);

-- index: new_order new_order_pkey
CREATE UNIQUE INDEX IF NOT EXISTS new_order_pkey ON {schema}.new_order (no_w_id, no_d_id, no_o_id);

-- index: item item_pkey
CREATE UNIQUE INDEX IF NOT EXISTS item_pkey ON {schema}.item (i_id);

-- index: district district_pkey
CREATE UNIQUE INDEX IF NOT EXISTS district_pkey ON {schema}.district (d_w_id, d_id);

-- index: warehouse warehouse_pkey
CREATE UNIQUE INDEX IF NOT EXISTS warehouse_pkey ON {schema}.warehouse (w_id);

-- constraint: order_line order_line_pkey
ALTER TABLE {schema}.order_line ADD CONSTRAINT order_line_pkey PRIMARY KEY USING INDEX order_line_pkey;

-- constraint: stock stock_pkey
ALTER TABLE {schema}.stock ADD CONSTRAINT stock_pkey PRIMARY KEY USING INDEX stock_pkey;

-- constraint: customer customer_pkey
ALTER TABLE {schema}.customer ADD CONSTRAINT customer_pkey PRIMARY KEY USING INDEX customer_pkey;

-- constraint: orders orders_pkey
ALTER TABLE {schema}.orders ADD CONSTRAINT orders_pkey PRIMARY KEY USING INDEX orders_pkey;

-- constraint: new_order new_order_pkey
ALTER TABLE {schema}.new_order ADD CONSTRAINT new_order_pkey PRIMARY KEY USING INDEX new_order_pkey;

-- constraint: item item_pkey
ALTER TABLE {schema}.item ADD CONSTRAINT item_pkey PRIMARY KEY USING INDEX item_pkey;

-- constraint: district district_pkey
ALTER TABLE {schema}.district ADD CONSTRAINT district_pkey PRIMARY KEY USING INDEX district_pkey;

-- constraint: warehouse warehouse_pkey
ALTER TABLE {schema}.warehouse ADD CONSTRAINT warehouse_pkey PRIMARY KEY USING INDEX warehouse_pkey;
