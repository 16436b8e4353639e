-- $1 int4 warehouse, $2 int4 district, $3 int4 customer, then a line an element: $4 int4[] items,
-- $5 int4[] supplying warehouses, $6 int4[] quantities; $7 text schema
SELECT * FROM {functions}.tpcc_new_order($1, $2, $3, $4, $5, $6, $7)
