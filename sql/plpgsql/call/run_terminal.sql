-- $1 int4[] kinds, $2 int4[] warehouses, $3 int4[] districts or carriers, $4 int4[] customers or thresholds, $5 text[] last
-- names, $6 int4[] the customers' warehouses, $7 int4[] the customers' districts, $8 int4[] amounts in cents, $9 text[]
-- items, $10 text[] supplying warehouses, $11 text[] quantities, $12 int8[] due times, $13 int8 no beginning later,
-- $14 int4 tries; then what comes back
CALL {schema}.tpcc_run_terminal($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                                NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
