-- condition: ol_delivery_d is null exactly where the order's o_carrier_id is null (3.3.2.7)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s, order %s, line %s: carrier %s, delivered %s', ol_w_id, ol_d_id, ol_o_id,
                  ol_number, coalesce(o_carrier_id::text, 'null'), coalesce(ol_delivery_d::text, 'null'))) AS example
FROM {schema}.order_line JOIN {schema}.orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)
