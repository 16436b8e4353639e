-- What is loaded so far, by chunk, and of what: the row of chunk 0 has that. It goes when all is there. Where a crash
-- empties the tables, it empties this one.
CREATE {unlogged} TABLE {schema}.oltp_load (chunk int8 PRIMARY KEY, load text NOT NULL);
INSERT INTO {schema}.oltp_load (chunk, load) VALUES (0, {load});
