-- What the scans of a run would else do on the side, and the statistics.
VACUUM (ANALYZE) {schema}.scan_bits
