-- $1 int8 account, $2 int4 branch, $3 int4 teller, $4 int4 amount
SELECT * FROM {schema}.tpcb_like($1, $2, $3, $4)
