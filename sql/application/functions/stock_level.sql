-- $1 int4 warehouse, $2 int4 district, $3 int4 threshold, $4 text schema
SELECT * FROM {functions}.tpcc_stock_level($1, $2, $3, $4)
