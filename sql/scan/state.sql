-- What is remembered of a load: size and seed, whether it came to its end, and the rows that are there.
SELECT s.rows, s.seed, s.vacuumed, l.first_row, l.last_row, l.matching
FROM {schema}.scan_state s
LEFT JOIN {schema}.scan_load l ON true
