//! From flags and environment to a connection's parameters.

use std::path::Path;

use clap::Args;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::{Connector, password};

/// The folders in which PostgreSQL puts its socket when nobody says otherwise: Debian's, then its own.
const SOCKET_DIRS: [&str; 2] = ["/var/run/postgresql", "/tmp"];
const DEFAULT_PORT: u16 = 5432;

/// The database to connect to, with the flags that `psql` has.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Connection")]
pub struct ConnectArgs {
    /// Server's host name or the folder of its socket [env: PGHOST]
    #[arg(short = 'h', long, value_name = "HOST")]
    pub host: Option<String>,
    /// Server's port [env: PGPORT]
    #[arg(short, long)]
    pub port: Option<u16>,
    /// Role to log in as [env: PGUSER]
    #[arg(short = 'U', long = "username", value_name = "NAME")]
    pub user: Option<String>,
    /// Database name, connection string or URI [env: PGDATABASE]
    #[arg(short, long, value_name = "DBNAME")]
    pub dbname: Option<String>,
}

/// Why no connection came about.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The connection string or URI is malformed.
    #[error("cannot read the connection string: {0}")]
    Uri(String),
    /// A variable of the environment has no usable value.
    #[error("the variable {name} is \"{value}\", which is no port number")]
    Variable {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// The server did not let us in.
    #[error("cannot connect to {target}: {reason}")]
    Refused {
        /// Where to, in words.
        target: String,
        /// What the server or the system said.
        reason: String,
    },
}

impl ConnectArgs {
    /// Where these parameters lead: flags first, then the connection string, then the PG* variables,
    /// then the defaults.
    pub fn connector(&self) -> Result<Connector, ConnectError> {
        self.config().map(Connector::from)
    }

    fn config(&self) -> Result<Config, ConnectError> {
        self.config_with(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn config_with(
        &self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Config, ConnectError> {
        let dbname = self.dbname.clone().or_else(|| variable("PGDATABASE"));
        let mut config = match &dbname {
            Some(text) if text.contains('=') || text.contains("://") => text
                .parse()
                .map_err(|error| ConnectError::Uri(reason(&error)))?,
            Some(name) => {
                let mut config = Config::new();
                config.dbname(name);
                config
            }
            None => Config::new(),
        };
        // The library can only add to these lists, so a flag replaces a URI's by a fresh start.
        if self.host.is_some() || self.port.is_some() {
            config = without_hosts(&config, self.host.is_some(), self.port.is_some());
        }
        if let Some(user) = &self.user {
            config.user(user);
        } else if config.get_user().is_none() {
            config.user(variable("PGUSER").unwrap_or_else(system_user));
        }
        if config.get_ports().is_empty() {
            config.port(match (self.port, variable("PGPORT")) {
                (Some(port), _) => port,
                (None, Some(value)) => match value.parse() {
                    Ok(port) => port,
                    Err(_) => {
                        return Err(ConnectError::Variable {
                            name: "PGPORT",
                            value,
                        });
                    }
                },
                (None, None) => DEFAULT_PORT,
            });
        }
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            let port = config.get_ports()[0];
            let host = self.host.clone().or_else(|| variable("PGHOST"));
            config.host(host.unwrap_or_else(|| default_host(port)));
        }
        if config.get_dbname().is_none() {
            let user = config.get_user().unwrap_or_default().to_owned();
            config.dbname(user);
        }
        if config.get_application_name().is_none() {
            config.application_name(variable("PGAPPNAME").unwrap_or_else(|| "tpcc".into()));
        }
        if config.get_password().is_none()
            && let Some(password) = variable("PGPASSWORD").or_else(|| password::from_file(&config))
        {
            config.password(password);
        }
        Ok(config)
    }
}

fn without_hosts(config: &Config, drop_hosts: bool, drop_ports: bool) -> Config {
    let mut fresh = Config::new();
    if let Some(user) = config.get_user() {
        fresh.user(user);
    }
    if let Some(password) = config.get_password() {
        fresh.password(password);
    }
    if let Some(dbname) = config.get_dbname() {
        fresh.dbname(dbname);
    }
    if let Some(options) = config.get_options() {
        fresh.options(options);
    }
    if let Some(name) = config.get_application_name() {
        fresh.application_name(name);
    }
    fresh.ssl_mode(config.get_ssl_mode());
    if let Some(timeout) = config.get_connect_timeout() {
        fresh.connect_timeout(*timeout);
    }
    if !drop_hosts {
        for host in config.get_hosts() {
            match host {
                Host::Tcp(name) => fresh.host(name),
                Host::Unix(path) => fresh.host_path(path),
            };
        }
        for address in config.get_hostaddrs() {
            fresh.hostaddr(*address);
        }
    }
    if !drop_ports {
        for port in config.get_ports() {
            fresh.port(*port);
        }
    }
    fresh
}

fn default_host(port: u16) -> String {
    let socket = |dir: &&&str| Path::new(dir).join(format!(".s.PGSQL.{port}")).exists();
    SOCKET_DIRS
        .iter()
        .find(socket)
        .map_or("localhost", |dir| dir)
        .to_owned()
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

/// The server's own words where it has spoken, else the message with those of its causes.
pub(super) fn reason(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{}: {}", db.severity(), db.message()),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(args: &[(&str, &str)], variables: &[(&str, &str)]) -> Config {
        let get = |list: &[(&str, &str)], name: &str| {
            list.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        };
        let args = ConnectArgs {
            host: get(args, "host"),
            port: get(args, "port").map(|port| port.parse().unwrap()),
            user: get(args, "user"),
            dbname: get(args, "dbname"),
        };
        args.config_with(&|name| get(variables, name)).unwrap()
    }

    #[test]
    fn flags_win_over_the_uri_and_the_uri_over_variables() {
        let made = config(
            &[("host", "flag"), ("dbname", "postgres://ann@uri:1/shop")],
            &[("PGHOST", "variable"), ("PGPORT", "2"), ("PGUSER", "bob")],
        );
        assert_eq!(made.get_hosts(), [Host::Tcp("flag".into())]);
        assert_eq!(made.get_ports(), [1]);
        assert_eq!(made.get_user(), Some("ann"));
        assert_eq!(made.get_dbname(), Some("shop"));
    }

    #[test]
    fn variables_fill_what_flags_leave_open() {
        let made = config(
            &[("user", "ann")],
            &[
                ("PGHOST", "/run/here"),
                ("PGPORT", "2"),
                ("PGDATABASE", "shop"),
                ("PGPASSWORD", "x"),
            ],
        );
        assert_eq!(made.get_hosts(), [Host::Unix("/run/here".into())]);
        assert_eq!(made.get_ports(), [2]);
        assert_eq!(made.get_dbname(), Some("shop"));
        assert_eq!(made.get_password(), Some(&b"x"[..]));
    }

    #[test]
    fn the_database_is_named_after_the_role_when_nobody_says_more() {
        assert_eq!(
            config(&[("user", "ann"), ("host", "h")], &[]).get_dbname(),
            Some("ann")
        );
    }

    #[test]
    fn a_port_that_is_none_is_named() {
        let error = ConnectArgs::default()
            .config_with(&|name| (name == "PGPORT").then(|| "many".to_owned()))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the variable PGPORT is \"many\", which is no port number"
        );
    }
}
