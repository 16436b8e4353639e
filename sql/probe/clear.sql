-- Removes what probes left that were killed: schemas that bear the mark of a probe, whose lock nobody holds, and
-- which hold nothing but the probe's own table. Others stay as they are.
DO $$
DECLARE
    left_over name;
BEGIN
    PERFORM pg_catalog.set_config('lock_timeout', '10s', true);
    FOR left_over IN
        SELECT nspname
        FROM pg_catalog.pg_namespace
        WHERE nspname ~ '^tpcc_probe_[0-9]{1,9}$'
          AND pg_catalog.obj_description(oid, 'pg_namespace') = '{mark}'
          AND pg_catalog.pg_has_role(nspowner, 'USAGE')
    LOOP
        IF pg_catalog.pg_try_advisory_xact_lock({class}, substr(left_over, 12)::int4) THEN
            BEGIN
                EXECUTE pg_catalog.format('DROP TABLE IF EXISTS %I.probe', left_over);
                EXECUTE pg_catalog.format('DROP SCHEMA IF EXISTS %I', left_over);
            EXCEPTION WHEN OTHERS THEN
                RAISE WARNING 'the schema % of a probe that was killed stays: %', left_over, SQLERRM;
            END;
        END IF;
    END LOOP;
END
$$
