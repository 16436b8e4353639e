//! What all measurements share: the cluster, how much effort to make, loaded databases.

use std::time::{Duration, Instant};

use tests::{Cluster, Database};
use tokio::runtime::Runtime;
use tpcc::cluster::{SUPERUSER, config};

use crate::session::Session;
use crate::{Result, process};

/// The role of all sessions.
pub const USER: &str = SUPERUSER;
/// The schema of the data in every database.
pub const SCHEMA: &str = "tpcc";
/// Workers of every load.
pub const LOAD_WORKERS: u32 = 2;
/// A server that takes less of one CPU than this is at rest.
const AT_REST: f64 = 0.03;

/// How large and how long the measurements are.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Warehouses of the load and the throughput.
    pub warehouses: i32,
    /// Warehouses of the loads whose memory is compared.
    pub memory_warehouses: [i32; 2],
    /// Rounds of a measurement.
    pub rounds: u32,
    /// Rounds of the long runs.
    pub long_rounds: u32,
    /// What is run before a round of throughput, for warm caches and plans.
    pub warm_up: Duration,
    /// A round of throughput.
    pub measured: Duration,
    /// A round of what only tells how fast the machine is.
    pub yardstick: Duration,
    /// A long run, in which nothing may become slower.
    pub long: Duration,
}

impl Effort {
    /// What the document is made with.
    pub const FULL: Effort = Effort {
        warehouses: 10,
        memory_warehouses: [2, 10],
        rounds: 3,
        long_rounds: 2,
        warm_up: Duration::from_secs(10),
        measured: Duration::from_secs(30),
        yardstick: Duration::from_secs(15),
        long: Duration::from_secs(60),
    };

    /// Just enough to see every step work.
    pub const QUICK: Effort = Effort {
        warehouses: 2,
        memory_warehouses: [1, 2],
        rounds: 1,
        long_rounds: 1,
        warm_up: Duration::from_secs(1),
        measured: Duration::from_secs(3),
        yardstick: Duration::from_secs(2),
        long: Duration::from_secs(6),
    };
}

/// The running cluster.
pub struct Bench {
    /// How much to do.
    pub effort: Effort,
    cluster: Cluster,
    runtime: Runtime,
}

impl Bench {
    /// Starts a durable cluster with the settings that the figures of other tools were taken with.
    pub fn start(effort: Effort) -> Result<Bench> {
        let shared_buffers_mb = config::memory_mb().map_or(512, |mb| (mb / 4).clamp(128, 4096));
        let shared_buffers = format!("{shared_buffers_mb}MB");
        let settings = [
            ("fsync", "on"),
            ("synchronous_commit", "on"),
            ("shared_buffers", shared_buffers.as_str()),
            ("max_wal_size", "16GB"),
            ("random_page_cost", "1.1"),
            // For the measurements with many connections; none of the others notices.
            ("max_connections", "1100"),
            ("log_min_messages", "warning"),
        ];
        Ok(Bench {
            effort,
            cluster: Cluster::private_with(&settings),
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
        })
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The server's first process.
    pub fn postmaster(&self) -> Result<u32> {
        let pid = self.cluster.server().postmaster_pid();
        pid.ok_or_else(|| "the server has ended".into())
    }

    /// A session in a database.
    pub fn session(&self, database: &str) -> Session<'_> {
        let opened = self.cluster.connect(database, USER);
        Session::new(&self.runtime, self.runtime.block_on(opened))
    }

    /// A session that belongs to no database of the measurements.
    pub fn witness(&self) -> Session<'_> {
        self.session("postgres")
    }

    /// A new database with the extension in it.
    pub fn fresh_database(&self) -> Database<'_> {
        self.runtime.block_on(self.cluster.fresh_database())
    }

    /// A new copy of a database with so many warehouses, as they are after the load, and in the
    /// server's memory. The warehouses are loaded by the first call that asks for this number.
    pub fn loaded(&self, warehouses: i32) -> Result<Database<'_>> {
        let template = format!("loaded_{warehouses}");
        let witness = self.witness();
        let found = format!("SELECT count(*) FROM pg_database WHERE datname = '{template}'");
        if witness.value::<i64>(&found)? == 0 {
            eprintln!("  loading {warehouses} warehouses to copy from");
            witness.run(&format!("CREATE DATABASE {template}"))?;
            let session = self.session(&template);
            session.run("CREATE EXTENSION pg_tpcc")?;
            session
                .run("CREATE EXTENSION IF NOT EXISTS pg_prewarm")
                .ok();
            session.run(&load(warehouses))?;
        }
        let strategy = match witness.value::<i64>("SHOW server_version_num")? {
            150_000.. => "STRATEGY file_copy",
            _ => "",
        };
        let others = format!("SELECT count(*) FROM pg_stat_activity WHERE datname = '{template}'");
        witness.until(Duration::from_secs(10), &others, 0)?;
        let copied = self.cluster.fresh_copy(&template, strategy);
        let database = self.runtime.block_on(copied);
        self.prewarm(&database)?;
        Ok(database)
    }

    fn prewarm(&self, database: &Database) -> Result<()> {
        let session = self.session(database.name());
        let kinds = "c.relnamespace = 'tpcc'::regnamespace AND c.relkind IN ('r', 'i')";
        let tool = "SELECT count(*) FROM pg_extension WHERE extname = 'pg_prewarm'";
        if session.value::<i64>(tool)? == 1 {
            session.run(&format!(
                "SELECT pg_prewarm(c.oid) FROM pg_class c WHERE {kinds}"
            ))
        } else {
            // A contributed module that is not everywhere; without it the run's own warm-up has more to do.
            let tables =
                format!("SELECT c.oid::regclass FROM pg_class c WHERE {kinds} AND c.relkind = 'r'");
            for row in session.rows(&tables)? {
                let table = row.get(0).unwrap_or_default();
                session.run(&format!("SELECT count(*) FROM {table}"))?;
            }
            Ok(())
        }
    }

    /// Shows the end of the server's log, which goes with the cluster.
    pub fn show_log(&self) {
        let log = self.cluster.log();
        let lines: Vec<&str> = log.lines().collect();
        for line in &lines[lines.len().saturating_sub(8)..] {
            eprintln!("  {line}");
        }
    }

    /// Removes a database that is not needed any more.
    pub fn discard(&self, database: Database<'_>) {
        self.runtime.block_on(tests::discard(database));
    }

    /// Writes a checkpoint and waits until the server is at rest, so that no round pays for what was
    /// before it. A server that does not come to rest is measured after 15 s all the same.
    pub fn settle(&self) -> Result<()> {
        self.witness().run("CHECKPOINT")?;
        let postmaster = self.postmaster()?;
        let pause = Duration::from_millis(500);
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(15) {
            let before = process::server_cpu(postmaster);
            std::thread::sleep(pause);
            let used = process::server_cpu(postmaster).saturating_sub(before);
            if used.as_secs_f64() < AT_REST * pause.as_secs_f64() {
                break;
            }
        }
        Ok(())
    }
}

/// The statement that loads so many warehouses with the workers of every load.
pub fn load(warehouses: i32) -> String {
    format!("SELECT * FROM tpcc_load({warehouses}, {LOAD_WORKERS}, schema => '{SCHEMA}')")
}
