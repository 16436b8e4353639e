-- $1 int8 account
SELECT * FROM {schema}.tpcb_select_only($1)
