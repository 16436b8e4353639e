-- $1 int4 warehouse, $2 int4 carrier, $3 text schema
SELECT * FROM {functions}.tpcc_delivery($1, $2, $3)
