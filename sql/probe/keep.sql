-- The transaction that holds the probe's lock is idle while the probe measures, and nothing may end it.
SELECT pg_catalog.set_config(name, '0', true)
FROM pg_catalog.pg_settings
WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')
