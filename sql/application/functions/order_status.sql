-- $1 int4 warehouse, $2 int4 district, $3 int4 customer or NULL, $4 text last name or NULL, $5 text schema
SELECT * FROM {functions}.tpcc_order_status($1, $2, $3, $4, $5)
