-- The rows of rt_probe, which are gone when it returns.
CREATE TEMPORARY TABLE tpcc_rt_probe (at timestamptz NOT NULL)
