INSERT INTO {schema}.probe VALUES (pg_catalog.clock_timestamp())
