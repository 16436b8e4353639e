-- $1 int4 warehouse, $2 int2 district, $3 int4 order, $4 int4 customer, $5 int2 number of lines,
-- $6 int2 1 where all lines are local
INSERT INTO {schema}.orders (o_entry_d, o_id, o_w_id, o_c_id, o_d_id, o_ol_cnt, o_all_local, o_carrier_id)
VALUES (pg_catalog.now(), $3, $1, $4, $2, $5, $6, NULL)
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
