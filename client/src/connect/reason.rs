//! Why an attempt failed, and what to do about it, in words.

use std::error::Error as _;
use std::io;

use rustls::{AlertDescription, CertificateError, Error as TlsError};
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::settings::{Place, Settings};
use super::socket::Endpoint;

/// The server wants a password and none is known; the library has no code for it.
pub(super) fn wants_password(error: &Error) -> bool {
    error
        .source()
        .is_some_and(|source| source.to_string() == "password missing")
}

/// Why there is no socket.
pub(super) fn of_socket(error: &io::Error, endpoint: &Endpoint) -> String {
    let advice = match (error.kind(), endpoint) {
        (io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused, Endpoint::Unix(..)) => {
            "; is the server running here, with its socket in that folder and on that port?"
        }
        (io::ErrorKind::ConnectionRefused, Endpoint::Tcp(_)) => {
            "; is the server running there, and does it listen on that address and port?"
        }
        (io::ErrorKind::PermissionDenied, _) => "; this account may not enter that folder",
        _ => "",
    };
    format!("{error}{advice}")
}

/// Why the server did not let us in.
pub(super) fn of_login(error: &Error, settings: &Settings, place: &Place) -> String {
    if let Some(db) = error.as_db_error() {
        let mut text = format!("{}: {}", db.severity(), db.message());
        for part in [db.detail(), db.hint()].into_iter().flatten() {
            text.push_str(&format!("; {part}"));
        }
        let advice = match *db.code() {
            SqlState::INVALID_PASSWORD => {
                "; give the right one by -W, PGPASSWORD or a line in ~/.pgpass"
            }
            SqlState::INVALID_CATALOG_NAME => "; create it by createdb, or name another by -d",
            SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                "; the server's pg_hba.conf says who may log in from where, and with TLS or not"
            }
            _ => "",
        };
        return text + advice;
    }
    if wants_password(error) {
        return "the server asks for a password and none is given: use -W, PGPASSWORD or a line in \
                ~/.pgpass"
            .to_owned();
    }
    let Some(source) = error.source() else {
        return error.to_string();
    };
    if let Some(error) = tls_error(source) {
        return of_tls(error, settings, place);
    }
    match source.to_string().as_str() {
        "server does not support TLS" => format!(
            "the server does not offer TLS, which sslmode={} asks for: switch on ssl in its \
             postgresql.conf, or take sslmode=prefer",
            settings.ssl_mode.name()
        ),
        "server did not use channel binding" => {
            "channel_binding=require, and there was none: it needs TLS and a password stored as \
             SCRAM-SHA-256"
                .to_owned()
        }
        cause => format!("{error}: {cause}"),
    }
}

fn tls_error<'a>(source: &'a (dyn std::error::Error + 'static)) -> Option<&'a TlsError> {
    if let Some(error) = source.downcast_ref::<TlsError>() {
        return Some(error);
    }
    let error = source.downcast_ref::<io::Error>()?;
    error.get_ref()?.downcast_ref::<TlsError>()
}

/// Whether no CA is known for the certificate; the second way to say so is that of a certificate which has
/// signed itself.
fn is_unknown(reason: &CertificateError) -> bool {
    match reason {
        CertificateError::UnknownIssuer => true,
        CertificateError::Other(other) => format!("{other:?}").contains("CaUsedAsEndEntity"),
        _ => false,
    }
}

fn of_tls(error: &TlsError, settings: &Settings, place: &Place) -> String {
    let roots = settings.tls.as_ref().and_then(|tls| tls.roots());
    let roots = roots.map_or_else(
        || "the system's CAs".to_owned(),
        |path| path.display().to_string(),
    );
    match error {
        TlsError::InvalidCertificate(reason) => match reason {
            reason if is_unknown(reason) => format!(
                "the server's certificate is not trusted: no CA in {roots} has signed it; put the \
                 right CA there, or name its file by sslrootcert"
            ),
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                format!(
                    "the server's certificate is not for \"{}\" ({error}): connect by a name that is \
                     in its subjectAltName, or take sslmode=verify-ca",
                    place.name
                )
            }
            _ => format!("the server's certificate is not trusted ({error}); CAs: {roots}"),
        },
        TlsError::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateExpired
            | AlertDescription::DecryptError,
        ) => format!(
            "the server refuses the client's certificate ({error}): sslcert and sslkey name one that \
             a CA of the server has signed"
        ),
        _ => format!("TLS failed: {error}"),
    }
}
