SELECT at FROM pg_temp.tpcc_rt_probe ORDER BY at
