//! From parameters to an open connection.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio_postgres::config::SslMode as Mode;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Config, Error};

use super::password::{self, Password};
use super::settings::{Address, Place, Settings, SslMode, Target};
use super::socket::{self, Endpoint};
use super::{ConnectError, reason, target, tls};
use crate::wire::{Link, Meter, Transport, Wire};

/// Where to connect and how: everything that is known before the first byte.
#[derive(Debug, Clone)]
pub struct Connector {
    settings: Arc<Settings>,
    /// The password that was typed, once for all connections.
    typed: Arc<Mutex<Option<Password>>>,
    /// Whether somebody may be asked for it.
    may_ask: bool,
}

/// What cancels the statement of one connection, from anywhere, over the host that it went to.
#[derive(Clone)]
pub struct CancelToken {
    token: tokio_postgres::CancelToken,
    endpoint: Endpoint,
    place: Place,
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key in it is as good as a password.
        let mut out = out.debug_struct("CancelToken");
        out.field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

/// Why one attempt came to nothing, and whether another place is worth one.
struct Failure {
    reason: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Another place may do.
    Elsewhere,
    /// The same everywhere: a wrong password, an unknown database.
    Final,
    /// The server asks for a password.
    WantsPassword,
}

impl Connector {
    pub(super) fn new(settings: Settings, typed: Option<Password>, may_ask: bool) -> Connector {
        Connector {
            settings: Arc::new(settings),
            typed: Arc::new(Mutex::new(typed)),
            may_ask,
        }
    }

    /// Opens a connection: to the first server that lets us in and is what is asked for.
    ///
    /// # Errors
    /// [`ConnectError::Refused`] with what each server or the system said.
    pub async fn open(&self, wire: Wire) -> Result<Link, ConnectError> {
        let mut places: Vec<&Place> = self.settings.places.iter().collect();
        if self.settings.random {
            shuffle(&mut places);
        }
        let passes: &[Target] = match self.settings.target {
            Target::PreferStandby => &[Target::Standby, Target::Any],
            ref target => std::slice::from_ref(target),
        };
        let mut failures = Vec::new();
        for target in passes {
            failures.clear();
            for place in &places {
                match self.open_place(place, *target, wire).await {
                    Ok(link) => return Ok(link),
                    Err(failure) => {
                        failures.push((*place, failure.reason));
                        if failure.kind == Kind::Final {
                            return Err(self.refused(&failures));
                        }
                    }
                }
            }
        }
        Err(self.refused(&failures))
    }

    fn refused(&self, failures: &[(&Place, String)]) -> ConnectError {
        let (target, reason) = match failures {
            [(place, reason)] => (self.target_at(&place.describe()), reason.clone()),
            _ => {
                let all = failures
                    .iter()
                    .map(|(place, reason)| format!("\n  {}: {reason}", place.describe()));
                (
                    self.target(),
                    format!("none of the servers will do{}", all.collect::<String>()),
                )
            }
        };
        ConnectError::Refused { target, reason }
    }

    async fn open_place(&self, place: &Place, target: Target, wire: Wire) -> Result<Link, Failure> {
        let mut endpoints = socket::resolve(place).await.map_err(|error| Failure {
            reason: error.to_string(),
            kind: Kind::Elsewhere,
        })?;
        if self.settings.random {
            shuffle(&mut endpoints);
        }
        let mut last = Failure {
            reason: "the host name has no address".to_owned(),
            kind: Kind::Elsewhere,
        };
        for endpoint in &endpoints {
            let mut result = self.attempt(place, endpoint, wire).await;
            if let Err(Failure {
                kind: Kind::WantsPassword,
                ..
            }) = &result
                && self.ask().await
            {
                result = self.attempt(place, endpoint, wire).await;
            }
            let result = match result {
                Ok(mut link) => target::check(&mut link, target)
                    .await
                    .map(|()| link)
                    .map_err(|reason| Failure {
                        reason,
                        kind: Kind::Elsewhere,
                    }),
                Err(failure) => Err(failure),
            };
            match result {
                Ok(link) => return Ok(link),
                Err(failure) => {
                    let done = failure.kind != Kind::Elsewhere;
                    last = failure;
                    if done {
                        last.kind = Kind::Final;
                        break;
                    }
                }
            }
        }
        Err(last)
    }

    /// Whether there is a typed password now.
    async fn ask(&self) -> bool {
        let mut typed = self.typed.lock().await;
        if typed.is_none() && self.may_ask && password::can_prompt() {
            *typed = password::prompt(&self.settings.user).ok();
        }
        typed.is_some()
    }

    /// One attempt on one address, within the time that it has.
    async fn attempt(
        &self,
        place: &Place,
        endpoint: &Endpoint,
        wire: Wire,
    ) -> Result<Link, Failure> {
        let attempt = self.by_ssl_mode(place, endpoint, wire);
        let Some(limit) = self.settings.connect_timeout else {
            return attempt.await;
        };
        tokio::time::timeout(limit, attempt)
            .await
            .unwrap_or_else(|_| {
                Err(Failure {
                    reason: format!("no answer within {} s (connect_timeout)", limit.as_secs()),
                    kind: Kind::Elsewhere,
                })
            })
    }

    async fn by_ssl_mode(
        &self,
        place: &Place,
        endpoint: &Endpoint,
        wire: Wire,
    ) -> Result<Link, Failure> {
        let tcp = matches!(endpoint, Endpoint::Tcp(_));
        let first = match self.settings.ssl_mode {
            _ if !tcp => Mode::Disable,
            SslMode::Disable | SslMode::Allow => Mode::Disable,
            SslMode::Prefer => Mode::Prefer,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => Mode::Require,
        };
        let second = match self.settings.ssl_mode {
            _ if !tcp => None,
            SslMode::Allow => Some(Mode::Require),
            SslMode::Prefer => Some(Mode::Disable),
            _ => None,
        };
        let (error, failure) = match self.log_in(place, endpoint, wire, first).await {
            Ok(link) => return Ok(link),
            Err(both) => both,
        };
        match (second, error) {
            (Some(second), Some(error)) if other_way_may_do(&error) => {
                let again = self.log_in(place, endpoint, wire, second).await;
                again.map_err(|(_, second)| match second.kind {
                    // Both ways are shut: what was said first is what was asked for first.
                    Kind::Final if failure.reason != second.reason => Failure {
                        reason: format!("{}; without it: {}", failure.reason, second.reason),
                        kind: Kind::Final,
                    },
                    _ => second,
                })
            }
            _ => Err(failure),
        }
    }

    async fn log_in(
        &self,
        place: &Place,
        endpoint: &Endpoint,
        wire: Wire,
        mode: Mode,
    ) -> Result<Link, (Option<Error>, Failure)> {
        let settings = &*self.settings;
        let socket = socket::connect(endpoint, &settings.keepalive).await;
        let socket = socket.map_err(|error| {
            let failure = Failure {
                reason: reason::of_socket(&error, endpoint),
                kind: Kind::Elsewhere,
            };
            (None, failure)
        })?;
        let meter = Meter::new();
        let transport = Transport::new(socket, wire, Arc::clone(&meter));
        let config = self.config(place, mode).await;
        match config.connect_raw(transport, self.tls(place)).await {
            Ok((client, connection)) => {
                let token = CancelToken {
                    token: client.cancel_token(),
                    endpoint: endpoint.clone(),
                    place: place.clone(),
                };
                Ok(Link::new(client, connection, meter, token))
            }
            Err(error) => {
                let failure = Failure {
                    reason: reason::of_login(&error, settings, place),
                    kind: kind(&error),
                };
                Err((Some(error), failure))
            }
        }
    }

    async fn config(&self, place: &Place, mode: Mode) -> Config {
        let settings = &*self.settings;
        let mut config = Config::new();
        config
            .user(&settings.user)
            .dbname(&settings.dbname)
            .ssl_mode(mode)
            .ssl_negotiation(settings.negotiation)
            .channel_binding(settings.channel_binding);
        if !settings.application_name.is_empty() {
            config.application_name(&settings.application_name);
        }
        if let Some(options) = &settings.options {
            config.options(options);
        }
        let typed = self.typed.lock().await;
        let known = typed.as_ref().or(settings.password.as_ref());
        if let Some(password) = known.or(place.password.as_ref()) {
            config.password(password.reveal());
        }
        config
    }

    fn tls(&self, place: &Place) -> tls::Tls {
        match &self.settings.tls {
            Some(maker) => maker.for_host(&place.name),
            None => tls::none(),
        }
    }

    /// Asks the server to cancel what the token's connection is doing, over the host that it went to and
    /// as secured as it is.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn cancel(&self, token: &CancelToken) -> Result<(), ConnectError> {
        let refused = |reason| self.refused(&[(&token.place, reason)]);
        let socket = socket::connect(&token.endpoint, &self.settings.keepalive)
            .await
            .map_err(|error| refused(reason::of_socket(&error, &token.endpoint)))?;
        let transport = Transport::new(socket, Wire::default(), Meter::new());
        let cancel = token
            .token
            .cancel_query_raw(transport, self.tls(&token.place));
        cancel
            .await
            .map_err(|error| refused(reason::of_login(&error, &self.settings, &token.place)))
    }

    /// The same with TLS, or without, where sslmode leaves it open.
    ///
    /// # Errors
    /// Why it cannot be so: what was asked for is kept, for a password may depend on it.
    pub fn with_tls(&self, tls: bool) -> Result<Connector, String> {
        let settings = &self.settings;
        let asked = settings.ssl_mode;
        let local = |place: &Place| matches!(place.address, Address::Unix(_));
        let mode = match tls {
            false if settings.places.iter().all(local) => asked,
            false if asked >= SslMode::Require => {
                return Err(format!("sslmode={} asks for TLS", asked.name()));
            }
            false => SslMode::Disable,
            true if settings.places.iter().any(local) => {
                return Err("a Unix-domain socket has no TLS".into());
            }
            true if asked == SslMode::Disable => {
                return Err("sslmode=disable refuses TLS".into());
            }
            true => asked.max(SslMode::Require),
        };
        let mut other = self.clone();
        other.settings = Arc::new(Settings {
            ssl_mode: mode,
            ..Settings::clone(settings)
        });
        Ok(other)
    }

    /// The database's name.
    pub fn dbname(&self) -> &str {
        &self.settings.dbname
    }

    /// The role that logs in.
    pub fn user(&self) -> &str {
        &self.settings.user
    }

    /// Where a connection goes, for people, without a password.
    pub fn target(&self) -> String {
        let places: Vec<String> = self.settings.places.iter().map(Place::describe).collect();
        self.target_at(&places.join(", "))
    }

    fn target_at(&self, place: &str) -> String {
        format!(
            "database \"{}\" at {place} as \"{}\"",
            self.dbname(),
            self.user()
        )
    }
}

/// Whether it may help to try without TLS what failed with it, or the other way round: pg_hba.conf can
/// tell the two apart. A wrong password is not sent twice.
fn other_way_may_do(error: &Error) -> bool {
    match error.code() {
        Some(code) => *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        None => !reason::wants_password(error),
    }
}

fn kind(error: &Error) -> Kind {
    if reason::wants_password(error) {
        return Kind::WantsPassword;
    }
    match error.code() {
        // Starting, shutting down, recovering: libpq goes on to the next host at this one alone.
        Some(code) if *code == SqlState::CANNOT_CONNECT_NOW => Kind::Elsewhere,
        Some(_) => Kind::Final,
        None => Kind::Elsewhere,
    }
}

/// Puts a list into a random order.
fn shuffle<T>(list: &mut [T]) {
    let random = RandomState::new();
    for last in (1..list.len()).rev() {
        let other = random.hash_one(last) % (last as u64 + 1);
        list.swap(last, usize::try_from(other).unwrap_or(last));
    }
}
