-- $1 timestamptz date, $2 int4 customer, $3 int4 the customer's warehouse, $4 int4 warehouse,
-- $5 int2 the customer's district, $6 int2 district, $7 numeric amount, $8 text data
INSERT INTO {schema}.history (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
