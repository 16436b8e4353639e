-- $1 int4 warehouse, $2 int2 district, $3 int4 order, $4 int2 number of the line, $5 int4 item,
-- $6 int4 supplying warehouse, $7 int2 quantity, $8 numeric amount, $9 text district information
INSERT INTO {schema}.order_line (ol_o_id, ol_w_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number, ol_quantity,
                                 ol_delivery_d, ol_amount, ol_dist_info)
VALUES ($3, $1, $5, $6, $2, $4, $7, NULL, $8, $9)
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
