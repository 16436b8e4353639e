-- The server looks for its client while it works: a loop whose client was killed ends.
SELECT pg_catalog.set_config(name, '1s', true)
FROM pg_catalog.pg_settings
WHERE name = 'client_connection_check_interval'
