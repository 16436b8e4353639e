-- The settings that are not the server's default, as they count for this session.
SELECT name, pg_catalog.current_setting(name), source
FROM pg_catalog.pg_settings
WHERE source NOT IN ('default', 'override') AND setting IS NOT NULL
  AND category NOT LIKE 'File Locations'
  AND name NOT IN ('application_name', 'client_encoding')
ORDER BY name
