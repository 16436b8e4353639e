-- $1 int4 customer, $2 int4 the customer's warehouse, $3 int4 warehouse, $4 int2 the customer's district,
-- $5 int2 district, $6 numeric amount, $7 text data
INSERT INTO {schema}.history (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
VALUES (pg_catalog.now(), $1, $2, $3, $4, $5, $6, $7)
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
