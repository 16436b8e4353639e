//! What the parameters mean: places to try, in which order, and how.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_postgres::config::{ChannelBinding, SslNegotiation};

use super::parameters::{Parameters, Surroundings};
use super::password::{Password, PasswordFile};
use super::{ConnectError, tls};

/// The folders in which PostgreSQL puts its socket when nobody says otherwise: Debian's, then its own.
pub(super) const SOCKET_DIRS: [&str; 2] = ["/var/run/postgresql", "/tmp"];
const DEFAULT_PORT: u16 = 5432;
/// The name that the server shows when nobody gives another.
const APPLICATION_NAME: &str = "tpcc";

/// How much TLS there has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SslMode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

const SSL_MODES: &[(&str, SslMode)] = &[
    ("disable", SslMode::Disable),
    ("allow", SslMode::Allow),
    ("prefer", SslMode::Prefer),
    ("require", SslMode::Require),
    ("verify-ca", SslMode::VerifyCa),
    ("verify-full", SslMode::VerifyFull),
];

impl SslMode {
    /// Its name in a connection string.
    pub(super) fn name(self) -> &'static str {
        let found = SSL_MODES.iter().find(|(_, mode)| *mode == self);
        found.map_or("", |(name, _)| name)
    }
}

/// What a server must be for a session to stay there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// A folder of sockets; one that begins with `@` is in Linux's abstract name space.
    Unix(PathBuf),
    /// A name or number to be looked up.
    Name(String),
    /// A number.
    Ip(IpAddr),
}

/// One server to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub address: Address,
    pub port: u16,
    /// Its name as given: what its certificate and the password file are looked up by.
    pub name: String,
    /// What the password file has for it.
    pub password: Option<Password>,
}

impl Place {
    /// The place for people.
    pub(super) fn describe(&self) -> String {
        match &self.address {
            Address::Ip(ip) if self.name != ip.to_string() => {
                format!("{} ({ip}) port {}", self.name, self.port)
            }
            _ => format!("{} port {}", self.name, self.port),
        }
    }
}

/// How a TCP connection is kept alive.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeepAlive {
    pub off: bool,
    pub idle: Option<Duration>,
    pub interval: Option<Duration>,
    pub count: Option<u32>,
    pub user_timeout_ms: Option<u32>,
}

/// Everything that is known before the first byte, but for the password that is asked for.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub places: Vec<Place>,
    pub random: bool,
    pub target: Target,
    pub dbname: String,
    pub user: String,
    pub password: Option<Password>,
    pub options: Option<String>,
    pub application_name: String,
    pub connect_timeout: Option<Duration>,
    pub keepalive: KeepAlive,
    pub ssl_mode: SslMode,
    pub negotiation: SslNegotiation,
    pub channel_binding: ChannelBinding,
    pub tls: Option<tls::Maker>,
}

impl Settings {
    /// # Errors
    /// A value is not what it may be, or a file that is named is missing or unusable.
    pub(super) fn from_parameters(
        parameters: &Parameters,
        around: &Surroundings<'_>,
        system_user: impl FnOnce() -> String,
    ) -> Result<Settings, ConnectError> {
        let text = |name| parameters.text(name).map(str::to_owned);
        let user = text("user").unwrap_or_else(system_user);
        let dbname = text("dbname").unwrap_or_else(|| user.clone());
        let password = text("password").map(Password::from);
        let mut places = places(parameters)?;
        if password.is_none() {
            let path = parameters.text("passfile").map(PathBuf::from);
            let path = path.or_else(|| around.home.as_ref().map(|home| home.join(".pgpass")));
            if let Some(file) = path.and_then(|path| PasswordFile::read(&path)) {
                for place in &mut places {
                    place.password = file.find(&place.name, place.port, &dbname, &user);
                }
            }
        }
        let ssl_mode = ssl_mode(parameters)?;
        let negotiation = negotiation(parameters, ssl_mode)?;
        let all_local = places
            .iter()
            .all(|place| matches!(place.address, Address::Unix(_)));
        let tls = if ssl_mode == SslMode::Disable || all_local {
            None
        } else {
            Some(tls::Maker::new(
                parameters,
                ssl_mode,
                around.home.as_deref(),
            )?)
        };
        let seconds = parameters.number("connect_timeout")?.unwrap_or(0);
        Ok(Settings {
            places,
            random: parameters.word(
                "load_balance_hosts",
                &[("disable", false), ("random", true)],
                false,
            )?,
            target: target(parameters)?,
            options: text("options"),
            application_name: text("application_name")
                .or_else(|| text("fallback_application_name"))
                .unwrap_or_else(|| APPLICATION_NAME.to_owned()),
            connect_timeout: u64::try_from(seconds)
                .ok()
                .filter(|seconds| *seconds > 0)
                .map(Duration::from_secs),
            keepalive: keepalive(parameters)?,
            channel_binding: parameters.word(
                "channel_binding",
                &[
                    ("disable", ChannelBinding::Disable),
                    ("prefer", ChannelBinding::Prefer),
                    ("require", ChannelBinding::Require),
                ],
                ChannelBinding::Prefer,
            )?,
            dbname,
            user,
            password,
            ssl_mode,
            negotiation,
            tls,
        })
    }
}

fn ssl_mode(parameters: &Parameters) -> Result<SslMode, ConnectError> {
    let system = parameters.text("sslrootcert") == Some("system");
    let default = if system {
        SslMode::VerifyFull
    } else {
        SslMode::Prefer
    };
    let mode = parameters.word("sslmode", SSL_MODES, default)?;
    if system && mode != SslMode::VerifyFull {
        return Err(parameters.wrong(
            "sslmode",
            "sslrootcert=system asks for sslmode=verify-full, as anybody can have a certificate of those CAs",
        ));
    }
    Ok(mode)
}

fn negotiation(parameters: &Parameters, mode: SslMode) -> Result<SslNegotiation, ConnectError> {
    let words = [
        ("postgres", SslNegotiation::Postgres),
        ("direct", SslNegotiation::Direct),
    ];
    let negotiation = parameters.word("sslnegotiation", &words, SslNegotiation::Postgres)?;
    if negotiation == SslNegotiation::Direct && mode < SslMode::Require {
        return Err(ConnectError::Parameter(format!(
            "sslnegotiation=direct does not go with sslmode={}: use require, verify-ca or verify-full",
            mode.name()
        )));
    }
    Ok(negotiation)
}

fn target(parameters: &Parameters) -> Result<Target, ConnectError> {
    let words = [
        ("any", Target::Any),
        ("read-write", Target::ReadWrite),
        ("read-only", Target::ReadOnly),
        ("primary", Target::Primary),
        ("standby", Target::Standby),
        ("prefer-standby", Target::PreferStandby),
    ];
    parameters.word("target_session_attrs", &words, Target::Any)
}

fn keepalive(parameters: &Parameters) -> Result<KeepAlive, ConnectError> {
    let positive = |name| -> Result<Option<u32>, ConnectError> {
        let number = parameters.number(name)?;
        // Zero and less mean the system's default, as in libpq.
        Ok(number
            .and_then(|number| u32::try_from(number).ok())
            .filter(|n| *n > 0))
    };
    let seconds = |name| -> Result<Option<Duration>, ConnectError> {
        Ok(positive(name)?.map(|seconds| Duration::from_secs(seconds.into())))
    };
    Ok(KeepAlive {
        off: parameters.number("keepalives")? == Some(0),
        idle: seconds("keepalives_idle")?,
        interval: seconds("keepalives_interval")?,
        count: positive("keepalives_count")?,
        user_timeout_ms: positive("tcp_user_timeout")?,
    })
}

fn places(parameters: &Parameters) -> Result<Vec<Place>, ConnectError> {
    let list = |name| -> Vec<&str> {
        let text = parameters.text(name);
        text.map_or_else(Vec::new, |text| text.split(',').map(str::trim).collect())
    };
    let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"));
    if !hosts.is_empty() && !addresses.is_empty() && hosts.len() != addresses.len() {
        return Err(ConnectError::Parameter(format!(
            "there are {} hosts and {} hostaddrs: expected one of each for a server",
            hosts.len(),
            addresses.len()
        )));
    }
    let count = hosts.len().max(addresses.len()).max(1);
    if ports.len() > 1 && ports.len() != count {
        return Err(ConnectError::Parameter(format!(
            "there are {} ports for {count} hosts: expected one port for all or one for each",
            ports.len()
        )));
    }
    let part = |list: &[&str], number: usize| {
        let part = list.get(number).copied().unwrap_or_default();
        part.to_owned()
    };
    (0..count)
        .map(|number| {
            let own_port = if ports.len() == 1 { 0 } else { number };
            let port =
                match part(&ports, own_port) {
                    text if text.is_empty() => DEFAULT_PORT,
                    text => text.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
                        parameters.wrong("port", "expected a number from 1 to 65535")
                    })?,
                };
            place(
                part(&hosts, number),
                &part(&addresses, number),
                port,
                parameters,
            )
        })
        .collect()
}

fn place(
    host: String,
    address: &str,
    port: u16,
    parameters: &Parameters,
) -> Result<Place, ConnectError> {
    let (name, address) = if !address.is_empty() {
        let ip: IpAddr = address.parse().map_err(|_| {
            parameters.wrong("hostaddr", "expected IP addresses; names go into host")
        })?;
        let name = if host.is_empty() {
            ip.to_string()
        } else {
            host
        };
        (name, Address::Ip(ip))
    } else {
        let name = if host.is_empty() {
            default_host(port)
        } else {
            host
        };
        let address = if name.starts_with(['/', '@']) {
            Address::Unix(PathBuf::from(&name))
        } else {
            Address::Name(name.clone())
        };
        (name, address)
    };
    Ok(Place {
        address,
        port,
        name,
        password: None,
    })
}

fn default_host(port: u16) -> String {
    let socket = |dir: &&&str| Path::new(dir).join(format!(".s.PGSQL.{port}")).exists();
    SOCKET_DIRS
        .iter()
        .find(socket)
        .map_or("localhost", |dir| dir)
        .to_owned()
}
