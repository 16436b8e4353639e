-- The table that is counted, and what is remembered of its load. schema is an identifier, unlogged a word or
-- nothing. A crash empties unlogged tables: the lines that say which rows are there must go with the rows.
CREATE {unlogged} TABLE {schema}.scan_bits (id bit(200) NOT NULL)
    -- The load vacuums it, and nothing may do so in the middle of a measurement.
    WITH (autovacuum_enabled = off);
CREATE {unlogged} TABLE {schema}.scan_load (
    first_row bigint PRIMARY KEY,
    last_row bigint NOT NULL,
    -- Rows of these that the count finds, known from the seed alone.
    matching bigint NOT NULL
);
CREATE TABLE {schema}.scan_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    rows bigint NOT NULL,
    seed bigint NOT NULL,
    vacuumed boolean NOT NULL
);
