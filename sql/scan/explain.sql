-- The time of the whole is measured; a clock that is read at every row would be part of it.
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)
