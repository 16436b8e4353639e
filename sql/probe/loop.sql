-- The same statement again and again, without leaving the server; a gap has a row at either end.
DO $$
BEGIN
    FOR i IN 0..{samples} LOOP
        INSERT INTO {schema}.probe VALUES (pg_catalog.clock_timestamp());
    END LOOP;
END
$$
