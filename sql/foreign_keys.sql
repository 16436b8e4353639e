-- The ten foreign keys of clause 1.3.1 and 1.4.2, optional, after the keys.
--
-- Each block is one job: "-- foreign_key: <table> <name>", then one statement; it is left out where pg_constraint has the
-- name already. With them, rows that others refer to must be locked FOR NO KEY UPDATE.

-- foreign_key: district district_warehouse_fkey
ALTER TABLE {schema}.district ADD CONSTRAINT district_warehouse_fkey
    FOREIGN KEY (d_w_id) REFERENCES {schema}.warehouse (w_id);

-- foreign_key: customer customer_district_fkey
ALTER TABLE {schema}.customer ADD CONSTRAINT customer_district_fkey
    FOREIGN KEY (c_w_id, c_d_id) REFERENCES {schema}.district (d_w_id, d_id);

-- foreign_key: history history_customer_fkey
ALTER TABLE {schema}.history ADD CONSTRAINT history_customer_fkey
    FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id) REFERENCES {schema}.customer (c_w_id, c_d_id, c_id);

-- foreign_key: history history_district_fkey
ALTER TABLE {schema}.history ADD CONSTRAINT history_district_fkey
    FOREIGN KEY (h_w_id, h_d_id) REFERENCES {schema}.district (d_w_id, d_id);

-- foreign_key: stock stock_warehouse_fkey
ALTER TABLE {schema}.stock ADD CONSTRAINT stock_warehouse_fkey
    FOREIGN KEY (s_w_id) REFERENCES {schema}.warehouse (w_id);

-- foreign_key: stock stock_item_fkey
ALTER TABLE {schema}.stock ADD CONSTRAINT stock_item_fkey
    FOREIGN KEY (s_i_id) REFERENCES {schema}.item (i_id);

-- foreign_key: orders orders_customer_fkey
ALTER TABLE {schema}.orders ADD CONSTRAINT orders_customer_fkey
    FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES {schema}.customer (c_w_id, c_d_id, c_id);

-- foreign_key: new_order new_order_orders_fkey
ALTER TABLE {schema}.new_order ADD CONSTRAINT new_order_orders_fkey
    FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES {schema}.orders (o_w_id, o_d_id, o_id);

-- foreign_key: order_line order_line_orders_fkey
ALTER TABLE {schema}.order_line ADD CONSTRAINT order_line_orders_fkey
    FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES {schema}.orders (o_w_id, o_d_id, o_id);

-- foreign_key: order_line order_line_stock_fkey
ALTER TABLE {schema}.order_line ADD CONSTRAINT order_line_stock_fkey
    FOREIGN KEY (ol_supply_w_id, ol_i_id) REFERENCES {schema}.stock (s_w_id, s_i_id);
