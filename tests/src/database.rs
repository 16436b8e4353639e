//! A database of one test, and sessions in it.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tpcc::cluster::SUPERUSER;
use tpcc::connect::{ConnectError, Connector, Notice, Session};

use crate::cluster::Cluster;

/// How long a server may take to let a session in: after a crash it recovers first.
const LOGIN_LIMIT: Duration = Duration::from_secs(30);
/// How the server says that it is not ready: it starts, recovers or shuts down.
const NOT_READY: [&str; 2] = ["the database system is", "No such file or directory"];

/// A database in a throw-away cluster.
pub struct Database<'a> {
    cluster: &'a Cluster,
    name: String,
}

impl<'a> Database<'a> {
    pub(crate) fn new(cluster: &'a Cluster, name: String) -> Database<'a> {
        Database { cluster, name }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The cluster that it is in.
    pub fn cluster(&self) -> &'a Cluster {
        self.cluster
    }

    /// A superuser's session in it.
    pub async fn connect(&self) -> Connection {
        self.connect_as(SUPERUSER).await
    }

    /// A session as this role in it.
    pub async fn connect_as(&self, user: &str) -> Connection {
        self.cluster.connect(&self.name, user).await
    }
}

/// A session that remembers what the server says on the side; derefs to a [`tokio_postgres::Client`].
pub struct Connection {
    session: Session,
    notices: Arc<Mutex<Vec<Notice>>>,
}

impl Connection {
    /// Logs in, and waits for a server that is just starting.
    pub(crate) async fn open(connector: &Connector) -> Connection {
        let start = Instant::now();
        loop {
            let notices = Arc::new(Mutex::new(Vec::new()));
            let sink = Arc::clone(&notices);
            let opened = Session::open(connector, move |notice| {
                sink.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(notice);
            });
            match opened.await {
                Ok(session) => return Connection { session, notices },
                Err(error) if may_pass(&error) && start.elapsed() < LOGIN_LIMIT => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// The messages of all notices so far, the oldest first.
    pub fn notices(&self) -> Vec<String> {
        self.full_notices()
            .iter()
            .map(|notice| notice.message().to_owned())
            .collect()
    }

    /// The same with severity, SQLSTATE, detail and hint.
    pub fn full_notices(&self) -> Vec<Notice> {
        self.notices
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The server process of this session.
    pub async fn pid(&self) -> i32 {
        let row = self.query_one("SELECT pg_backend_pid()", &[]).await;
        row.expect("pg_backend_pid").get(0)
    }
}

impl Deref for Connection {
    type Target = tokio_postgres::Client;

    fn deref(&self) -> &Self::Target {
        &self.session
    }
}

fn may_pass(error: &ConnectError) -> bool {
    let text = error.to_string();
    NOT_READY.iter().any(|sign| text.contains(sign))
}
