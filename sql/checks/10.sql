-- condition: c_balance is the sum of the customer's delivered ol_amount less the sum of his h_amount (3.3.2.10)
WITH paid AS (
    SELECT h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) AS amount FROM {schema}.history GROUP BY h_c_w_id, h_c_d_id, h_c_id
), delivered AS (
    SELECT o_w_id, o_d_id, o_c_id, sum(ol_amount) AS amount
    FROM {schema}.orders JOIN {schema}.order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
    WHERE ol_delivery_d IS NOT NULL
    GROUP BY o_w_id, o_d_id, o_c_id
)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s, customer %s: c_balance %s, delivered %s, paid %s',
                  coalesce(c_w_id, h_c_w_id, o_w_id), coalesce(c_d_id, h_c_d_id, o_d_id), coalesce(c_id, h_c_id, o_c_id),
                  c_balance, coalesce(delivered.amount, 0), coalesce(paid.amount, 0))) AS example
FROM {schema}.customer
FULL JOIN paid ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id
FULL JOIN delivered ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
WHERE c_balance IS DISTINCT FROM coalesce(delivered.amount, 0) - coalesce(paid.amount, 0)
