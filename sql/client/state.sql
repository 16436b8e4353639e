-- What a schema says of its load: seed, C for last names, items, warehouses, the first and the last of them, and the last
-- one that is there in part only.
SELECT s.seed, s.c_last_load, l.*,
       (SELECT coalesce(pg_catalog.max(w_id), 0) FROM {schema}.tpcc_load_part)
FROM (SELECT pg_catalog.count(*) FILTER (WHERE part = 'item'),
             pg_catalog.count(*) FILTER (WHERE part = 'warehouse'),
             coalesce(pg_catalog.min(w_id) FILTER (WHERE part = 'warehouse'), 0),
             coalesce(pg_catalog.max(w_id) FILTER (WHERE part = 'warehouse'), 0)
      FROM {schema}.tpcc_load) l
LEFT JOIN {schema}.tpcc_scale s ON true
