DROP TABLE pg_temp.tpcc_rt_probe
