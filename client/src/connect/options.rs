//! From flags and environment to a connector.

use std::fmt;

use clap::Args;

use super::parameters::{Parameters, Surroundings};
use super::password;
use super::settings::Settings;
use super::{ConnectError, Connector};

/// The database to connect to, with the flags that `psql` has.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Connection")]
pub struct ConnectArgs {
    /// Server's host name or the folder of its socket; several with commas [env: PGHOST]
    #[arg(short = 'h', long, value_name = "HOST")]
    pub host: Option<String>,
    /// Server's port [env: PGPORT]
    #[arg(short, long)]
    pub port: Option<u16>,
    /// Role to log in as [env: PGUSER]
    #[arg(short = 'U', long = "username", value_name = "NAME")]
    pub user: Option<String>,
    /// Database name [env: PGDATABASE], connection string or URI
    #[arg(short, long, value_name = "DBNAME")]
    pub dbname: Option<String>,
    /// Ask for the password before connecting
    #[arg(short = 'W', long, conflicts_with = "no_password")]
    pub password: bool,
    /// Never ask for a password
    #[arg(short = 'w', long)]
    pub no_password: bool,
}

impl fmt::Debug for ConnectArgs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A connection string may have a password in it.
        let dbname = self.dbname.as_deref();
        let dbname = dbname.map(|text| {
            if text.contains(['=', ':']) {
                "***"
            } else {
                text
            }
        });
        out.debug_struct("ConnectArgs")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("user", &self.user)
            .field("dbname", &dbname)
            .finish_non_exhaustive()
    }
}

impl ConnectArgs {
    /// Where these parameters lead: flags first, then the connection string, the service file, the PG*
    /// variables and libpq's defaults. With `--password` it asks for the password.
    ///
    /// # Errors
    /// [`ConnectError::Parameter`]: a value is wrong, or a file that it names is.
    pub fn connector(&self) -> Result<Connector, ConnectError> {
        let settings = self.settings_in(&Surroundings {
            variable: &|name| std::env::var(name).ok().filter(|value| !value.is_empty()),
            home: std::env::home_dir(),
        })?;
        let typed = if self.password {
            let typed = password::prompt(&settings.user).map_err(|error| {
                ConnectError::Parameter(format!("cannot ask for the password: {error}"))
            })?;
            Some(typed)
        } else {
            None
        };
        Ok(Connector::new(settings, typed, !self.no_password))
    }

    fn settings_in(&self, around: &Surroundings<'_>) -> Result<Settings, ConnectError> {
        let flags = [
            ("host", self.host.clone()),
            ("port", self.port.map(|port| port.to_string())),
            ("user", self.user.clone()),
        ];
        let parameters = Parameters::collect(&flags, self.dbname.as_deref(), around)?;
        Settings::from_parameters(&parameters, around, system_user)
    }
}

fn system_user() -> String {
    let output = std::process::Command::new("id").arg("-un").output();
    output
        .ok()
        .filter(|output| output.status.success())
        .map_or_else(String::new, |output| {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::super::settings::{Address, SslMode, Target};
    use super::*;

    fn settings(dbname: &str, variables: &[(&str, &str)]) -> Result<Settings, ConnectError> {
        with(
            ConnectArgs {
                dbname: Some(dbname.to_owned()),
                ..ConnectArgs::default()
            },
            variables,
        )
    }

    fn with(args: ConnectArgs, variables: &[(&str, &str)]) -> Result<Settings, ConnectError> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        args.settings_in(&Surroundings {
            variable: &variable,
            home: None,
        })
    }

    fn places(made: &Settings) -> Vec<(&str, u16)> {
        made.places
            .iter()
            .map(|place| (place.name.as_str(), place.port))
            .collect()
    }

    #[test]
    fn flags_win_over_the_uri_and_the_uri_over_variables() {
        let args = ConnectArgs {
            host: Some("flag".into()),
            dbname: Some("postgres://ann@uri:1/shop".into()),
            ..ConnectArgs::default()
        };
        let variables = [("PGHOST", "variable"), ("PGPORT", "2"), ("PGUSER", "bob")];
        let made = with(args, &variables).unwrap();
        assert_eq!(places(&made), [("flag", 1)]);
        assert_eq!((made.user.as_str(), made.dbname.as_str()), ("ann", "shop"));
    }

    #[test]
    fn variables_fill_what_flags_leave_open() {
        let args = ConnectArgs {
            user: Some("ann".into()),
            ..ConnectArgs::default()
        };
        let made = with(
            args,
            &[
                ("PGHOST", "/run/here"),
                ("PGPORT", "2"),
                ("PGDATABASE", "shop"),
                ("PGPASSWORD", "x"),
                ("PGOPTIONS", "-c a=b"),
                ("PGTARGETSESSIONATTRS", "standby"),
                ("PGCONNECT_TIMEOUT", "7"),
            ],
        )
        .unwrap();
        assert_eq!(made.places[0].address, Address::Unix("/run/here".into()));
        assert_eq!(places(&made), [("/run/here", 2)]);
        assert_eq!(made.dbname, "shop");
        assert_eq!(made.password.unwrap().reveal(), "x");
        assert_eq!(made.options.as_deref(), Some("-c a=b"));
        assert_eq!(made.target, Target::Standby);
        assert_eq!(made.connect_timeout.unwrap().as_secs(), 7);
    }

    #[test]
    fn the_database_is_named_after_the_role_when_nobody_says_more() {
        let made = settings("user=ann@corp host=h", &[]).unwrap();
        assert_eq!(made.dbname, "ann@corp");
        assert_eq!(made.application_name, "tpcc");
        assert_eq!(made.ssl_mode, SslMode::Prefer);
    }

    #[test]
    fn hosts_and_ports_go_together() {
        let made = settings("host=a,b,/run/x port=1,,3", &[]).unwrap();
        assert_eq!(places(&made), [("a", 1), ("b", 5432), ("/run/x", 3)]);
        let made = settings("host=a,b port=7", &[]).unwrap();
        assert_eq!(places(&made), [("a", 7), ("b", 7)]);
        let made = settings("host=db hostaddr=::1", &[]).unwrap();
        assert_eq!(made.places[0].address, Address::Ip("::1".parse().unwrap()));
        assert_eq!(made.places[0].describe(), "db (::1) port 5432");
    }

    #[test]
    fn wrong_values_are_named_with_what_was_expected() {
        for (text, variables, told) in [
            (
                "host=h",
                ("PGPORT", "many"),
                "the variable PGPORT is \"many\": expected a number from 1 to 65535",
            ),
            (
                "host=h port=0",
                ("", ""),
                "expected a number from 1 to 65535",
            ),
            (
                "host=h sslmode=verify",
                ("", ""),
                "expected disable, allow, prefer, require, verify-ca, verify-full",
            ),
            (
                "host=h",
                ("PGSSLMODE", "on"),
                "the variable PGSSLMODE is \"on\"",
            ),
            ("host=a,b port=1,2,3", ("", ""), "3 ports for 2 hosts"),
            ("host=a,b hostaddr=::1", ("", ""), "2 hosts and 1 hostaddrs"),
            ("hostaddr=db", ("", ""), "names go into host"),
            (
                "host=h connect_timeout=soon",
                ("", ""),
                "connect_timeout is \"soon\"",
            ),
            (
                "host=h target_session_attrs=master",
                ("", ""),
                "prefer-standby",
            ),
            (
                "host=h channel_binding=on",
                ("", ""),
                "expected disable, prefer, require",
            ),
            ("host=h sslnegotiation=direct", ("", ""), "sslmode=prefer"),
            ("host=h sslmode=verify-ca", ("", ""), "sslrootcert"),
            (
                "host=h sslmode=verify-full sslrootcert=/no/such",
                ("", ""),
                "/no/such",
            ),
            (
                "host=h sslmode=require sslrootcert=system",
                ("", ""),
                "verify-full",
            ),
            ("host=h sslcert=/no/such", ("", ""), "/no/such"),
            ("host=h sslpassword=secret", ("", ""), "openssl pkey"),
            ("host=h require_auth=md5", ("", ""), "require_auth"),
            (
                "host=h ssl_max_protocol_version=TLSv1.1",
                ("", ""),
                "TLSv1.2",
            ),
            ("postgres://u:secret/x", ("", ""), "a port that is none"),
        ] {
            let message = settings(text, &[variables]).unwrap_err().to_string();
            assert!(message.contains(told), "{text}: {message}");
            assert!(!message.contains("secret"), "{text}: {message}");
        }
    }

    #[test]
    fn no_debug_output_has_a_password() {
        let args = ConnectArgs {
            dbname: Some("postgres://u:secret@h/d".into()),
            ..ConnectArgs::default()
        };
        assert!(!format!("{args:?}").contains("secret"));
        let settings = with(args, &[]).unwrap();
        assert!(!format!("{settings:?}").contains("secret"));
        let connector = Connector::new(settings, Some("secret".to_owned().into()), false);
        assert!(!format!("{connector:?}{}", connector.target()).contains("secret"));
    }
}
