INSERT INTO pg_temp.tpcc_rt_probe VALUES (pg_catalog.clock_timestamp())
