-- $1 int4 id, $2 int4 k, $3 text c, $4 text pad
INSERT INTO {schema}.{table} (id, k, c, pad)
VALUES ($1, $2, $3, $4)
RETURNING
    pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp())
