-- $1 int4 warehouse, $2 int4 district, $3 int4 the customer's warehouse, $4 int4 the customer's district,
-- $5 int4 customer or NULL, $6 text last name or NULL, $7 numeric amount, $8 text schema
SELECT * FROM {functions}.tpcc_payment($1, $2, $3, $4, $5, $6, $7, $8)
