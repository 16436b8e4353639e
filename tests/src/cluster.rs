//! The throw-away cluster.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::Config;
use tpcc::cluster::config::Config as PgrxToml;
use tpcc::cluster::{Binaries, Cluster as Server, SUPERUSER, Shutdown};

use crate::database::{Connection, Database};
use crate::watchdog::Watchdog;
use crate::{CLUSTERS, PG_CONFIG};

/// The number that makes names unique within the process.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A running throw-away cluster.
pub struct Cluster {
    server: Server,
    _watchdog: Watchdog,
}

impl Cluster {
    /// The one cluster that all tests of this binary share: they keep to databases and roles of their
    /// own in it, and do not stop it.
    pub fn shared() -> &'static Cluster {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(Cluster::private)
    }

    /// A cluster for one test, gone when it is dropped.
    pub fn private() -> Cluster {
        Cluster::private_with(&[])
    }

    /// The same with some settings of its own.
    pub fn private_with(settings: &[(&str, &str)]) -> Cluster {
        let binaries =
            Binaries::from_pg_config(pg_config()).unwrap_or_else(|error| panic!("{error}"));
        let dir = unique_folder();
        let log = clusters_folder().join(format!("{}.log", program_name()));
        let mut server = Server::new(binaries, &dir, &PgrxToml::get().cluster.test)
            .unwrap_or_else(|error| panic!("{error}"));
        for (name, value) in settings {
            server.set(name, value);
        }
        // Before the server: whatever happens from here on, somebody cleans up.
        let watchdog = Watchdog::over(server.place(), &log);
        server.start().unwrap_or_else(|error| panic!("{error}"));
        Cluster {
            server,
            _watchdog: watchdog,
        }
    }

    /// A session as this role in this database.
    pub async fn connect(&self, database: &str, user: &str) -> Connection {
        Connection::open(&self.config(database, user).into()).await
    }

    /// A superuser's session in the database `postgres`, to look at the others from outside.
    pub async fn witness(&self) -> Connection {
        self.connect("postgres", SUPERUSER).await
    }

    /// A new database with the extension in it.
    pub async fn fresh_database(&self) -> Database<'_> {
        let database = self.fresh_empty_database().await;
        let session = database.connect().await;
        let created = session.batch_execute("CREATE EXTENSION pg_tpcc").await;
        created.unwrap_or_else(|error| panic!("CREATE EXTENSION pg_tpcc: {error:?}"));
        database
    }

    /// A new database without the extension.
    pub async fn fresh_empty_database(&self) -> Database<'_> {
        let name = unique("db");
        let sql = format!("CREATE DATABASE {name}");
        self.witness()
            .await
            .batch_execute(&sql)
            .await
            .expect("CREATE DATABASE");
        Database::new(self, name)
    }

    /// A new database that is a copy of another, in which nobody may be; `options` is more for
    /// `CREATE DATABASE`.
    pub async fn fresh_copy(&self, template: &str, options: &str) -> Database<'_> {
        let name = unique("db");
        let sql = format!("CREATE DATABASE {name} TEMPLATE {template} {options}");
        let witness = self.witness().await;
        crate::sql::run(&witness, &sql).await;
        Database::new(self, name)
    }

    /// A new ordinary role that may log in, and nothing else.
    pub async fn fresh_role(&self) -> String {
        let name = unique("role");
        let sql = format!("CREATE ROLE {name} LOGIN");
        self.witness()
            .await
            .batch_execute(&sql)
            .await
            .expect("CREATE ROLE");
        name
    }

    /// The parameters of a connection.
    pub fn config(&self, database: &str, user: &str) -> Config {
        let mut config = Config::new();
        config
            .host_path(self.server.place().socket_dir())
            .port(self.server.port())
            .dbname(database)
            .user(user);
        config
    }

    /// `psql` for this role in this database: no start-up file, no alignment, first error ends it with
    /// status 3.
    pub fn psql(&self, database: &str, user: &str) -> Command {
        let mut command = self.tool("psql", database, user);
        command.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"]);
        command
    }

    /// `pgbench` for the superuser in this database.
    pub fn pgbench(&self, database: &str) -> Command {
        self.tool("pgbench", database, SUPERUSER)
    }

    /// Debian's `sysbench` for the superuser in this database.
    pub fn sysbench(&self, database: &str) -> Command {
        let mut command = Command::new("sysbench");
        command
            .args(["--db-driver=pgsql", "--pgsql-password="])
            .args([
                format!(
                    "--pgsql-host={}",
                    self.server.place().socket_dir().display()
                ),
                format!("--pgsql-port={}", self.server.port()),
                format!("--pgsql-user={SUPERUSER}"),
                format!("--pgsql-db={database}"),
            ]);
        command
    }

    /// The client under test, with its connection in the PG* variables.
    pub fn tpcc(&self, database: &str, user: &str) -> Command {
        self.with_connection(client(), database, user)
    }

    fn tool(&self, name: &str, database: &str, user: &str) -> Command {
        self.with_connection(
            Command::new(self.server.binaries().program(name)),
            database,
            user,
        )
    }

    fn with_connection(&self, mut command: Command, database: &str, user: &str) -> Command {
        command
            .env("PGHOST", self.server.place().socket_dir())
            .env("PGPORT", self.server.port().to_string())
            .env("PGDATABASE", database)
            .env("PGUSER", user);
        command
    }

    /// The server's processes, paths and settings.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// What the server has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.server.place().log()).unwrap_or_default()
    }

    /// Stops the server of a private cluster.
    pub fn stop(&self, how: Shutdown) {
        self.server
            .stop(how)
            .unwrap_or_else(|error| panic!("{error}"));
    }

    /// Starts it again.
    pub fn start(&self) {
        self.server
            .start()
            .unwrap_or_else(|error| panic!("{error}"));
    }

    /// Stops and starts it; [`Shutdown::Immediate`] is a crash with recovery.
    pub fn restart(&self, how: Shutdown) {
        self.stop(how);
        self.start();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The watchdog removes the files; without the server it has no one to wait for.
        if let Err(error) = self.server.stop(Shutdown::Immediate) {
            eprintln!("{error}");
        }
    }
}

/// The `pg_config` that the Makefile chose.
pub fn pg_config() -> PathBuf {
    let pg_config = env::var_os(PG_CONFIG).unwrap_or_else(|| {
        panic!(
            "{PG_CONFIG} is not set: run the tests by `make test`, or set it to the pg_config of \
             a PostgreSQL that the extension is installed in (`make install` tells which)"
        )
    });
    pg_config.into()
}

/// The client under test, without a connection.
pub fn client() -> Command {
    let mut command = Command::new(tpcc_binary());
    for (name, _) in env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PG") {
            command.env_remove(name);
        }
    }
    command
}

/// The folder for clusters and their logs.
pub(crate) fn clusters_folder() -> PathBuf {
    env::var_os(CLUSTERS).map_or_else(env::temp_dir, PathBuf::from)
}

/// A folder for one cluster.
pub(crate) fn unique_folder() -> PathBuf {
    let number = unique(&std::process::id().to_string());
    clusters_folder().join(format!("{}-{number}", program_name()))
}

fn unique(prefix: &str) -> String {
    format!("{prefix}_{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// The test binary's name without the hash that cargo appends.
fn program_name() -> String {
    let exe = env::current_exe().unwrap_or_default();
    let stem = exe
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    stem.rsplit_once('-')
        .map_or(stem.clone(), |(name, _)| name.to_owned())
}

/// The `tpcc` of the same build: beside a program, and test binaries lie in the folder `deps` beside it.
fn tpcc_binary() -> PathBuf {
    let exe = env::current_exe().expect("the test's own path");
    let folders = exe.ancestors().skip(1).take(2);
    let mut binaries = folders.map(|folder| folder.join("tpcc"));
    binaries.find(|binary| binary.is_file()).unwrap_or_else(|| {
        panic!(
            "there is no tpcc beside {}: cargo build -p tpcc makes it",
            exe.display()
        )
    })
}
