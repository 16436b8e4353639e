-- For the transaction that is rolled back: by itself the planner gives a table a worker more only for each three times
-- its size. Reads and writes of others go on beside this lock, a vacuum does not.
ALTER TABLE {schema}.scan_bits SET (parallel_workers = {degree})
