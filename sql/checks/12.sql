-- condition: c_balance + c_ytd_payment is the sum of the customer's delivered ol_amount (3.3.2.12)
WITH delivered AS (
    SELECT o_w_id, o_d_id, o_c_id, sum(ol_amount) AS amount
    FROM {schema}.orders JOIN {schema}.order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
    WHERE ol_delivery_d IS NOT NULL
    GROUP BY o_w_id, o_d_id, o_c_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s, customer %s: c_balance %s, c_ytd_payment %s, delivered %s',
                  coalesce(c_w_id, o_w_id), coalesce(c_d_id, o_d_id), coalesce(c_id, o_c_id),
                  c_balance, c_ytd_payment, coalesce(delivered.amount, 0))) AS example
FROM {schema}.customer FULL JOIN delivered ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
WHERE c_balance + c_ytd_payment IS DISTINCT FROM coalesce(delivered.amount, 0)
