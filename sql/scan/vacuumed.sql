UPDATE {schema}.scan_state SET vacuumed = true
