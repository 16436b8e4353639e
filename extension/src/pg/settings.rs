//! The settings of the calling session, carried to its workers.
//!
//! A worker starts with the settings of the server, the database and the role; what the caller
//! SET in his session (`SET synchronous_commit = off`) would be lost without this.

use std::ffi::CString;

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::error::{Result, ServerError, SqlState, catch};

/// Settings by name, with values as `pg_settings.setting` has them.
pub type Settings = Vec<(String, String)>;

/// What the session set itself, by SET or at connection, and what a session may pass on.
///
/// Left out are settings of the connection and of the current transaction, and those which the
/// current role may not set (they draw a WARNING: a session can have SET them before SET ROLE).
///
/// # Errors
/// What PostgreSQL raises.
pub fn of_session() -> Result<Settings> {
    const QUERY: &str = "SELECT name, setting, context::text \
        FROM pg_catalog.pg_settings \
        WHERE source IN ('session', 'client') AND context IN ('user', 'superuser') \
          AND setting IS NOT NULL \
          AND name NOT IN ('application_name', 'client_encoding', 'transaction_isolation', \
              'transaction_read_only', 'transaction_deferrable', 'seed') \
        ORDER BY name";
    let rows: Vec<(String, String, String)> = catch(|| {
        Spi::connect(|client| {
            let mut rows = Vec::new();
            for row in client.select(QUERY, None, &[])? {
                if let (Some(name), Some(value), Some(context)) =
                    (row.get(1)?, row.get(2)?, row.get(3)?)
                {
                    rows.push((name, value, context));
                }
            }
            Ok::<_, spi::Error>(rows)
        })
        .map_err(|error| ServerError::new(SqlState::INTERNAL, error.to_string()))
    })?;
    // SAFETY: reads the current role.
    let superuser = unsafe { pg_sys::superuser() };
    let (passed, withheld): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .partition(|(_, _, context)| superuser || context == "user");
    for (name, _, _) in withheld {
        pgrx::warning!(
            "the workers run without this session's \"{name}\": only a superuser may set it"
        );
    }
    Ok(passed
        .into_iter()
        .map(|(name, value, _)| (name, value))
        .collect())
}

/// Sets them for the rest of this process, with the rights of its own role.
///
/// # Errors
/// What PostgreSQL says about a value or a right.
pub fn apply(settings: &[(String, String)]) -> Result<()> {
    // SAFETY: reads the current role.
    let context = if unsafe { pg_sys::superuser() } {
        pg_sys::GucContext::PGC_SUSET
    } else {
        pg_sys::GucContext::PGC_USERSET
    };
    catch(|| {
        for (name, value) in settings {
            let (Ok(name), Ok(value)) = (CString::new(name.as_str()), CString::new(value.as_str()))
            else {
                continue;
            };
            // SAFETY: two terminated strings that are copied; inside a transaction, whose commit
            // makes the values stay.
            unsafe {
                pg_sys::SetConfigOption(
                    name.as_ptr(),
                    value.as_ptr(),
                    context,
                    pg_sys::GucSource::PGC_S_SESSION,
                );
            }
        }
        Ok(())
    })
}
