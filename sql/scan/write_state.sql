-- The state of a load that is about to write rows.
INSERT INTO {schema}.scan_state (rows, seed, vacuumed) VALUES ({rows}, {seed}, false)
ON CONFLICT (only_row) DO UPDATE SET rows = excluded.rows, vacuumed = false
