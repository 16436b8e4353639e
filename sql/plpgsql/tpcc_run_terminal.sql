-- Runs a batch of a terminal's transactions and commits each, without a round trip between them.
--
-- The inputs are drawn by the caller. They come as one array a field, an element an input:
--
--   kinds        1 New-Order, 2 Payment, 3 Order-Status, 4 Delivery, 5 Stock-Level
--   w_ids        the home warehouse
--   d_ids        the district; of a Delivery its carrier
--   c_ids        the customer, NULL where it is told by name; of a Stock-Level its threshold
--   c_lasts      the customer's last name, NULL where it is told by number
--   c_w_ids      of a Payment: the customer's warehouse
--   c_d_ids      of a Payment: the customer's district
--   cents        of a Payment: the amount
--   item_ids, supply_w_ids, quantities
--                of a New-Order: its lines, an int4[] as text
--   due_us       when it is due, in microseconds after the call's start; the array is NULL where each is due when the one
--                before is done
--
-- No transaction is begun later than for_us microseconds after the start. A transaction that meets 40001 or 40P01 is tried
-- again, up to max_tries times in all, after a random pause of at most 1 ms, then 2 ms, 4 ms ... 100 ms.
--
-- What comes back has an element an input that was used:
--
--   outcomes     0 committed, 1 rolled back for its unused item, 2 failed
--   begun_us, ended_us
--                in microseconds after the start; with the commit, and with all tries
--   retries_serialization, retries_deadlock
--                an element a kind
--   skipped_districts
--                districts in which a Delivery found nothing to deliver
--   error_states, error_counts, error_messages
--                an element an SQLSTATE that a transaction failed with, each with the first message
--
-- Other workloads have a procedure of their own after this file, with what they put between the lines {inputs}, {conflicts}
-- and {arms}, and {end} after each.
--
-- A commit itself that fails, as it may with isolation level serializable, ends the call with that error, for PL/pgSQL
-- cannot catch it; what was committed before stays.
CREATE OR REPLACE PROCEDURE {schema}.tpcc_run_terminal(
    --{inputs}
    kinds int4[], w_ids int4[], d_ids int4[], c_ids int4[], c_lasts text[], c_w_ids int4[], c_d_ids int4[], cents int4[],
    item_ids text[], supply_w_ids text[], quantities text[],
    --{end}
    due_us int8[], for_us int8, max_tries int4,
    INOUT used int4, INOUT outcomes int4[], INOUT begun_us int8[], INOUT ended_us int8[],
    INOUT retries_serialization int4[], INOUT retries_deadlock int4[], INOUT skipped_districts int4,
    INOUT error_states text[], INOUT error_counts int4[], INOUT error_messages text[]
)
LANGUAGE plpgsql AS $function$
DECLARE
    started timestamptz := pg_catalog.clock_timestamp();
    input_count int4 := pg_catalog.cardinality(kinds);
    now_us int8 := 0;
    kind int4;
    tries int4;
    outcome int4;
    skipped int4;
    failures_in_a_row int4 := 0;
    --{conflicts}
    conflicts text[] := '{40001,40P01}';
    --{end}
    state text;
    message text;
    place int4;
BEGIN
    used := 0;
    outcomes := pg_catalog.array_fill(0, ARRAY[input_count]);
    begun_us := pg_catalog.array_fill(0::int8, ARRAY[input_count]);
    ended_us := begun_us;
    retries_serialization := '{0,0,0,0,0,0,0,0}';
    retries_deadlock := retries_serialization;
    skipped_districts := 0;
    error_states := '{}';
    error_counts := '{}';
    error_messages := '{}';

    FOR i IN 1 .. input_count LOOP
        IF due_us IS NOT NULL AND due_us[i] > now_us THEN
            EXIT WHEN due_us[i] >= for_us;
            -- A sleep ends late rather than early.
            PERFORM pg_catalog.pg_sleep((due_us[i] - now_us)::float8 / 1000000::float8);
            COMMIT;
            now_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - started) * 1000000::float8)::int8;
        END IF;
        EXIT WHEN now_us >= for_us;
        begun_us[i] := now_us;
        kind := kinds[i];
        tries := 1;
        LOOP
            skipped := 0;
            BEGIN
                --{arms}
                IF kind = 1 THEN
                    PERFORM FROM {schema}.tpcc_new_order(
                        w_ids[i], d_ids[i], c_ids[i], item_ids[i]::int4[], supply_w_ids[i]::int4[], quantities[i]::int4[]);
                ELSIF kind = 2 THEN
                    PERFORM FROM {schema}.tpcc_payment(
                        w_ids[i], d_ids[i], c_w_ids[i], c_d_ids[i], c_ids[i], c_lasts[i], cents[i]::numeric / 100::numeric);
                ELSIF kind = 3 THEN
                    PERFORM FROM {schema}.tpcc_order_status(w_ids[i], d_ids[i], c_ids[i], c_lasts[i]);
                ELSIF kind = 4 THEN
                    SELECT delivery.skipped INTO skipped FROM {schema}.tpcc_delivery(w_ids[i], d_ids[i]) AS delivery;
                ELSE
                    PERFORM FROM {schema}.tpcc_stock_level(w_ids[i], d_ids[i], c_ids[i]);
                END IF;
                --{end}
                state := NULL;
            EXCEPTION WHEN OTHERS THEN
                state := SQLSTATE;
                message := SQLERRM;
            END;
            IF state IS NULL THEN
                COMMIT;
                skipped_districts := skipped_districts + skipped;
                failures_in_a_row := 0;
                EXIT;
            END IF;
            ROLLBACK;
            IF state = 'TC001' THEN
                outcomes[i] := 1;
                failures_in_a_row := 0;
                EXIT;
            ELSIF state = ANY (conflicts) AND tries < max_tries THEN
                IF state = '40P01' THEN
                    retries_deadlock[kind] := retries_deadlock[kind] + 1;
                ELSE
                    retries_serialization[kind] := retries_serialization[kind] + 1;
                END IF;
                PERFORM pg_catalog.pg_sleep(pg_catalog.random() * LEAST(0.1::float8, 0.001::float8 * (1 << LEAST(tries - 1, 10))::float8));
                tries := tries + 1;
            ELSE
                outcomes[i] := 2;
                place := pg_catalog.array_position(error_states, state);
                IF place IS NULL THEN
                    error_states := error_states || state;
                    error_counts := error_counts || 1;
                    error_messages := error_messages || message;
                ELSE
                    error_counts[place] := error_counts[place] + 1;
                END IF;
                -- A terminal that meets nothing but errors slows down.
                failures_in_a_row := failures_in_a_row + 1;
                IF failures_in_a_row > 10 THEN
                    PERFORM pg_catalog.pg_sleep(pg_catalog.random() * 0.1::float8);
                END IF;
                EXIT;
            END IF;
        END LOOP;
        now_us := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - started) * 1000000::float8)::int8;
        ended_us[i] := now_us;
        used := i;
    END LOOP;
END
$function$;
