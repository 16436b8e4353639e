//! The throw-away PostgreSQL cluster of the tests, and what they need around it.
//!
//! ```no_run
//! # async fn test() {
//! use std::time::Duration;
//! use tests::{Cluster, eventually};
//!
//! let database = Cluster::shared().fresh_database().await; // with the extension in it
//! let session = database.connect().await; // derefs to tokio_postgres::Client
//! session.batch_execute("DO $$ BEGIN RAISE NOTICE 'half way'; END $$").await.unwrap();
//! assert_eq!(session.notices(), ["half way"]);
//!
//! let witness = Cluster::shared().witness().await; // a superuser in another database
//! eventually("no session waits", Duration::from_secs(5), async || {
//!     let sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
//!     witness.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) == 0
//! })
//! .await;
//! # }
//! ```
//!
//! Each test binary has one shared cluster, started by the first test that asks for it. It ends with
//! the process, however that ends. A test that stops, crashes or reconfigures a server takes a cluster
//! of its own: [`Cluster::private`].
//!
//! `make test` sets the variables that say which PostgreSQL has the extension ([`PG_CONFIG`]) and where
//! clusters may lie ([`CLUSTERS`]).

pub mod checks;
mod cluster;
mod database;
mod ended;
pub mod flavour;
mod loaded;
mod scratch;
pub mod small;
pub mod sql;
mod wait;
mod watchdog;

pub use cluster::{Cluster, client, pg_config};
pub use database::{Connection, Database};
pub use ended::{Ended, signal};
pub use loaded::{discard, loaded};
pub use scratch::Scratch;
pub use tpcc::cluster::Shutdown;
pub use wait::eventually;

/// The variable with the `pg_config` of the PostgreSQL that the extension is installed in.
pub const PG_CONFIG: &str = "PG_TPCC_PG_CONFIG";
/// The variable with the folder for clusters; without it, the system's temporary folder.
pub const CLUSTERS: &str = "PG_TPCC_CLUSTERS";
