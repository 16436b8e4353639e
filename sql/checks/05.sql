-- condition: o_carrier_id is null exactly where the order has a new_order row (3.3.2.5)
SELECT count(*) AS violations,
       min(format('warehouse %s, district %s, order %s: %s', coalesce(o_w_id, no_w_id), coalesce(o_d_id, no_d_id),
                  coalesce(o_id, no_o_id),
                  CASE WHEN o_id IS NULL THEN 'a new_order row, but no order'
                       WHEN no_o_id IS NULL THEN 'no carrier, but no new_order row'
                       ELSE format('carrier %s, but a new_order row', o_carrier_id) END)) AS example
FROM {schema}.orders FULL JOIN {schema}.new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
WHERE o_id IS NULL OR (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)
