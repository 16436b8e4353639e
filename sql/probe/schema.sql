BEGIN;
CREATE SCHEMA {schema};
COMMENT ON SCHEMA {schema} IS '{mark}';
CREATE {kind} TABLE {schema}.probe (at timestamptz NOT NULL) WITH (autovacuum_enabled = off);
COMMIT;
