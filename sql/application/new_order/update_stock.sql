-- The quantity left is the application's, from the row that it has locked.
-- $1 int4 supplying warehouse, $2 int4 item, $3 int2 quantity left, $4 int2 quantity ordered,
-- $5 int4 1 where the warehouse is not the customer's own, else 0
UPDATE {schema}.stock
SET s_quantity = $3,
    s_ytd = s_ytd + $4,
    s_order_cnt = s_order_cnt + 1,
    s_remote_cnt = s_remote_cnt + $5
WHERE s_w_id = $1 AND s_i_id = $2
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
