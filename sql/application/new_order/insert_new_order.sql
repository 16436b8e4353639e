-- $1 int4 warehouse, $2 int2 district, $3 int4 order
INSERT INTO {schema}.new_order (no_w_id, no_o_id, no_d_id)
VALUES ($1, $3, $2)
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
