-- The order, its new_order row and its lines.
-- $1 int4 warehouse, $2 int2 district, $3 int4 order, $4 int4 customer, $5 timestamptz entry date,
-- $6 int2 number of lines, $7 int2 1 where all lines are local, then a line an element:
-- $8 int2[] numbers, $9 int4[] items, $10 int4[] supplying warehouses, $11 int2[] quantities,
-- $12 numeric[] amounts, $13 text[] district information
WITH new_orders AS (
    INSERT INTO {schema}.orders (o_entry_d, o_id, o_w_id, o_c_id, o_d_id, o_ol_cnt, o_all_local, o_carrier_id)
    VALUES ($5, $3, $1, $4, $2, $6, $7, NULL)
), undelivered AS (
    INSERT INTO {schema}.new_order (no_w_id, no_o_id, no_d_id)
    VALUES ($1, $3, $2)
)
INSERT INTO {schema}.order_line (ol_o_id, ol_w_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number, ol_quantity,
                                 ol_delivery_d, ol_amount, ol_dist_info)
SELECT $3, $1, line.i_id, line.supply_w_id, $2, line.number, line.quantity, NULL, line.amount, line.dist_info
FROM (
    SELECT pg_catalog.unnest($8), pg_catalog.unnest($9), pg_catalog.unnest($10), pg_catalog.unnest($11),
           pg_catalog.unnest($12), pg_catalog.unnest($13)
) AS line (number, i_id, supply_w_id, quantity, amount, dist_info)
