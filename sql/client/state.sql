-- What a schema says of its load: seed, C for last names, items, warehouses, the first and the last of them.
SELECT s.seed, s.c_last_load, l.*
FROM (SELECT pg_catalog.count(*) FILTER (WHERE part = 'item'),
             pg_catalog.count(*) FILTER (WHERE part = 'warehouse'),
             coalesce(min(w_id) FILTER (WHERE part = 'warehouse'), 0),
             coalesce(max(w_id) FILTER (WHERE part = 'warehouse'), 0)
      FROM {schema}.tpcc_load) l
LEFT JOIN {schema}.tpcc_scale s ON true
