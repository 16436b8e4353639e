-- Clause 2.5.2.2, good credit: the balance is changed relatively.
-- $1 int4 warehouse, $2 int2 district, $3 int4 customer, $4 numeric amount
UPDATE {schema}.customer
SET c_balance = c_balance - $4,
    c_ytd_payment = c_ytd_payment + $4,
    c_payment_cnt = c_payment_cnt + 1
WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3
RETURNING c_balance,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
