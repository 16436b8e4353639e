-- A warehouse that is in the table and not in the state of the loads, or the other way round.
SELECT coalesce(w.w_id, l.w_id), l.w_id IS NULL
FROM {schema}.warehouse w
FULL JOIN (SELECT w_id FROM {schema}.tpcc_load WHERE part = 'warehouse') l USING (w_id)
WHERE w.w_id IS NULL OR l.w_id IS NULL
ORDER BY 1
LIMIT 1
