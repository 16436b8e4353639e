-- One of sysbench's tables as it makes them, but for the key and the index, which come after the rows.
CREATE {unlogged} TABLE {schema}.{table} (
    id serial, k int4 NOT NULL DEFAULT 0, c char(120) NOT NULL DEFAULT '', pad char(60) NOT NULL DEFAULT ''
);
