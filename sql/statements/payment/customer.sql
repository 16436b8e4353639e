-- Clause 2.5.2.2: the balance is changed relatively, so that no payment is lost under read committed.
-- $1 int4 warehouse, $2 int2 district, $3 int4 customer, $4 numeric amount,
-- $5 text what goes before c_data where the credit is bad
UPDATE {schema}.customer
SET c_balance = c_balance - $4,
    c_ytd_payment = c_ytd_payment + $4,
    c_payment_cnt = c_payment_cnt + 1,
    c_data = CASE WHEN c_credit = 'BC' THEN pg_catalog."left"($5 || c_data::text, 500) ELSE c_data END
WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3
RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since,
    c_credit, c_credit_lim, c_discount, c_balance,
    CASE WHEN c_credit = 'BC' THEN pg_catalog."left"(c_data::text, 200) END
