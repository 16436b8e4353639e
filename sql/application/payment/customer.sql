-- The time is taken after the wait for the lock: hence the subquery.
-- $1 int4 warehouse, $2 int2 district, $3 int4 customer
SELECT taken.*,
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
FROM (
    SELECT c_credit, c_data, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since,
        c_credit_lim, c_discount, c_balance
    FROM {schema}.customer
    WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3
    FOR NO KEY UPDATE
) AS taken
