DROP TABLE {schema}.scan_bits, {schema}.scan_load, {schema}.scan_state
