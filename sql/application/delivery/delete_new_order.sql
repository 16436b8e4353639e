-- $1 int4 warehouse, $2 int2 district, $3 int4 order
DELETE FROM {schema}.new_order
WHERE no_w_id = $1 AND no_d_id = $2 AND no_o_id = $3
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
