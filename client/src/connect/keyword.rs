//! The keywords of connection strings and service files, and the variables that stand for them.

use super::ConnectError;

/// What the client does with a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It does what it says.
    Kept,
    /// It has no meaning for this client, and harms nobody.
    Ignored,
    /// It asks for something that this client does not do, unless it has this value or none.
    Refused(&'static str),
}

use Use::{Ignored, Kept, Refused};

/// Every keyword of libpq (PostgreSQL's documentation, "Parameter Key Words").
const KEYWORDS: &[(&str, Use)] = &[
    ("application_name", Kept),
    ("channel_binding", Kept),
    ("client_encoding", Ignored),
    ("connect_timeout", Kept),
    ("dbname", Kept),
    ("fallback_application_name", Kept),
    ("gssdelegation", Refused("0")),
    ("gssencmode", Refused("disable")),
    ("gsslib", Ignored),
    ("host", Kept),
    ("hostaddr", Kept),
    ("keepalives", Kept),
    ("keepalives_count", Kept),
    ("keepalives_idle", Kept),
    ("keepalives_interval", Kept),
    ("krbsrvname", Ignored),
    ("load_balance_hosts", Kept),
    ("max_protocol_version", Ignored),
    ("min_protocol_version", Refused("3.0")),
    ("oauth_client_id", Refused("")),
    ("oauth_client_secret", Refused("")),
    ("oauth_issuer", Refused("")),
    ("oauth_scope", Refused("")),
    ("options", Kept),
    ("passfile", Kept),
    ("password", Kept),
    ("port", Kept),
    ("replication", Refused("false")),
    ("require_auth", Refused("")),
    ("requirepeer", Refused("")),
    ("scram_client_key", Refused("")),
    ("scram_server_key", Refused("")),
    ("service", Kept),
    ("servicefile", Kept),
    ("ssl_max_protocol_version", Kept),
    ("ssl_min_protocol_version", Kept),
    ("sslcert", Kept),
    ("sslcertmode", Refused("allow")),
    ("sslcompression", Ignored),
    ("sslcrl", Refused("")),
    ("sslcrldir", Refused("")),
    ("sslkey", Kept),
    ("sslkeylogfile", Refused("")),
    ("sslmode", Kept),
    ("sslnegotiation", Kept),
    ("sslpassword", Refused("")),
    ("sslrootcert", Kept),
    ("sslsni", Kept),
    ("target_session_attrs", Kept),
    ("tcp_user_timeout", Kept),
    ("user", Kept),
];

/// The variables of the environment and what they stand for.
pub(super) const VARIABLES: &[(&str, &str)] = &[
    ("PGAPPNAME", "application_name"),
    ("PGCHANNELBINDING", "channel_binding"),
    ("PGCONNECT_TIMEOUT", "connect_timeout"),
    ("PGDATABASE", "dbname"),
    ("PGGSSENCMODE", "gssencmode"),
    ("PGHOST", "host"),
    ("PGHOSTADDR", "hostaddr"),
    ("PGLOADBALANCEHOSTS", "load_balance_hosts"),
    ("PGMINPROTOCOLVERSION", "min_protocol_version"),
    ("PGOPTIONS", "options"),
    ("PGPASSFILE", "passfile"),
    ("PGPASSWORD", "password"),
    ("PGPORT", "port"),
    ("PGREQUIREAUTH", "require_auth"),
    ("PGREQUIREPEER", "requirepeer"),
    ("PGSSLCERT", "sslcert"),
    ("PGSSLCERTMODE", "sslcertmode"),
    ("PGSSLCRL", "sslcrl"),
    ("PGSSLCRLDIR", "sslcrldir"),
    ("PGSSLKEY", "sslkey"),
    ("PGSSLMAXPROTOCOLVERSION", "ssl_max_protocol_version"),
    ("PGSSLMINPROTOCOLVERSION", "ssl_min_protocol_version"),
    ("PGSSLMODE", "sslmode"),
    ("PGSSLNEGOTIATION", "sslnegotiation"),
    ("PGSSLROOTCERT", "sslrootcert"),
    ("PGSSLSNI", "sslsni"),
    ("PGTARGETSESSIONATTRS", "target_session_attrs"),
    ("PGUSER", "user"),
];

/// Whether this can stand in a connection string; `origin` says where it stood.
///
/// # Errors
/// The keyword is unknown.
pub(super) fn check_name(name: &str, origin: &str) -> Result<(), ConnectError> {
    if find(name).is_some() {
        return Ok(());
    }
    let printable: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    Err(ConnectError::Parameter(format!(
        "{origin} has an unknown keyword \"{printable}\": the keywords are libpq's (host, port, \
         dbname, user, sslmode, ...)"
    )))
}

/// Whether the client does what the keyword asks for with this value.
///
/// # Errors
/// It does not, and leaving it out would not be safe or not be what was asked for.
pub(super) fn check_use(name: &str, value: &str) -> Result<(), ConnectError> {
    match find(name) {
        Some(Refused(harmless))
            if !value.is_empty() && value != harmless && !tolerated(name, value) =>
        {
            let instead = match name {
                "sslpassword" => {
                    ": decrypt the key once (openssl pkey -in KEY -out NEWKEY) and name that by sslkey"
                }
                "sslcrl" | "sslcrldir" => ": leave it out; revoked certificates are not looked for",
                _ => ": leave it out",
            };
            Err(ConnectError::Parameter(format!(
                "this client does not support {name}{instead}"
            )))
        }
        _ => Ok(()),
    }
}

fn tolerated(name: &str, value: &str) -> bool {
    matches!((name, value), ("gssencmode", "prefer"))
}

fn find(name: &str) -> Option<Use> {
    KEYWORDS
        .iter()
        .find(|(keyword, _)| *keyword == name)
        .map(|(_, used)| *used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variable_stands_for_a_keyword() {
        for (variable, keyword) in VARIABLES {
            assert!(find(keyword).is_some(), "{variable}");
        }
    }

    #[test]
    fn what_cannot_be_done_is_refused_and_its_absence_is_not() {
        let message = check_use("sslpassword", "secret").unwrap_err().to_string();
        assert!(
            message.contains("sslpassword") && !message.contains("secret"),
            "{message}"
        );
        check_use("sslpassword", "").unwrap();
        check_use("gssencmode", "prefer").unwrap();
        check_use("sslcertmode", "require").unwrap_err();
    }
}
