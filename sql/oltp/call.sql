-- $1 int4[] operations, $2 int4[] tables, $3 int4[] numbers, $4 text the texts one after the other
SELECT * FROM {schema}.oltp_transaction($1, $2, $3, $4)
