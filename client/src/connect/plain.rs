//! A connector from parameters that a program has put together itself.

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslNegotiation};

use super::Connector;
use super::password::Password;
use super::settings::{Address, KeepAlive, Place, Settings, SslMode, Target};

impl From<Config> for Connector {
    /// The part that such a configuration has without TLS.
    fn from(config: Config) -> Connector {
        let port = |number: usize| {
            let ports = config.get_ports();
            let port = ports.get(number).or(ports.first());
            port.copied().unwrap_or(5432)
        };
        let places = config.get_hosts().iter().enumerate().map(|(number, host)| {
            let (address, name) = match host {
                Host::Tcp(name) => (Address::Name(name.clone()), name.clone()),
                Host::Unix(path) => (Address::Unix(path.clone()), path.display().to_string()),
            };
            Place {
                address,
                port: port(number),
                name,
                password: None,
            }
        });
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let password = config.get_password().map(String::from_utf8_lossy);
        let settings = Settings {
            places: places.collect(),
            random: false,
            target: Target::Any,
            dbname: text(config.get_dbname()),
            user: text(config.get_user()),
            password: password.map(|password| Password::from(password.into_owned())),
            options: config.get_options().map(str::to_owned),
            application_name: text(config.get_application_name()),
            connect_timeout: config.get_connect_timeout().copied(),
            keepalive: KeepAlive::default(),
            ssl_mode: SslMode::Disable,
            negotiation: SslNegotiation::Postgres,
            channel_binding: config.get_channel_binding(),
            tls: None,
        };
        Connector::new(settings, None, false)
    }
}
