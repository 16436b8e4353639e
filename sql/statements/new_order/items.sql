-- The items of the order that exist. An unused item number (the 1% of clause 2.4.1.4) has no row.
-- $1 int4[] item numbers
SELECT i_id, i_price, i_name, i_data
FROM {schema}.item
WHERE i_id = ANY ($1)
