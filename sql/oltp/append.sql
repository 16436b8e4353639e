-- $1 int4 k, $2 text c, $3 text pad; the id is the sequence's.
INSERT INTO {schema}.{table} (k, c, pad)
VALUES ($1, $2, $3)
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
