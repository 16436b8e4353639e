//! `tpcc demo`: everything once, in a private cluster that stays for looking around.

mod work;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use tokio_postgres::Config;
use tokio_postgres::error::SqlState;

use super::query::show;
use super::{CliError, duration};
use crate::cluster::config::{ClusterConfig, Config as PgrxToml};
use crate::cluster::{Account, Binaries, Cluster, ClusterError, Place, SUPERUSER, Start};
use crate::connect::{Connector, Session};

/// Those that tell most about a measurement; the settings file has all.
const SHOWN_SETTINGS: [&str; 4] = [
    "shared_buffers",
    "max_wal_size",
    "synchronous_commit",
    "fsync",
];
/// The flags of `tpcc demo`.
#[derive(Args)]
pub(super) struct DemoArgs {
    /// Warehouses to load, about 100 MB each
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    warehouses: u32,
    /// How long to run in each mode: 5, 90s, 2min
    #[arg(short = 'T', long = "time", visible_alias = "duration", value_name = "TIME", default_value = "5s", value_parser = duration::parse)]
    duration: Duration,
    /// Connections, each with a terminal; in mode server, workers
    #[arg(short, long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=32))]
    connections: u32,
    /// Folder of the cluster [default: pg_tpcc-demo-<account> in /var/tmp]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// pg_config of a PostgreSQL that has the extension [default: look on PATH]
    #[arg(long, value_name = "FILE")]
    pg_config: Option<PathBuf>,
    /// Stop the server of the cluster and do nothing else
    #[arg(long, conflicts_with = "remove")]
    stop: bool,
    /// Stop the server and remove the cluster's folder
    #[arg(long)]
    remove: bool,
}

/// Sets the cluster up, loads, runs, checks and tells where everything is.
pub(super) async fn run(args: DemoArgs) -> Result<(), CliError> {
    let config = &PgrxToml::get().cluster.demo;
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => {
            let account = Account::for_server()?;
            PathBuf::from(format!("/var/tmp/pg_tpcc-demo-{}", account.name()))
        }
    };
    if args.stop || args.remove {
        return end(&dir, config, args.remove);
    }
    let cluster = Cluster::new(binaries(args.pg_config.as_deref())?, &dir, config)?;
    start(&cluster)?;
    let outcome = work(&cluster, config, &args).await;
    // Also after a failure: the server is there to be looked at.
    say!("{}", whereabouts(&cluster, config));
    outcome
}

fn binaries(pg_config: Option<&Path>) -> Result<Binaries, CliError> {
    Ok(match pg_config {
        Some(pg_config) => Binaries::from_pg_config(pg_config)?,
        None => Binaries::search()?,
    })
}

fn end(dir: &Path, config: &ClusterConfig, remove: bool) -> Result<(), CliError> {
    let place = Place::new(dir, config.port).map_err(|source| ClusterError::Folder {
        path: dir.into(),
        source,
    })?;
    if remove {
        Cluster::remove_at(&place)?;
        tell!("Stopped and removed {}.", dir.display());
    } else {
        Cluster::stop_at(&place)?;
        tell!(
            "Stopped the server of {}; tpcc demo starts it again.",
            dir.display()
        );
    }
    Ok(())
}

fn start(cluster: &Cluster) -> Result<(), CliError> {
    let version = cluster.binaries().version();
    tell!(
        "Starting a private {version} in {} ...",
        cluster.place().dir().display()
    );
    match cluster.start()? {
        Start::Created => tell!("  made by initdb, runs as {}", cluster.account().name()),
        Start::Started => tell!(
            "  it was there already; runs as {}",
            cluster.account().name()
        ),
        Start::Running => tell!("  it was running already"),
    }
    tell!("  {}", shown_settings(cluster));
    Ok(())
}

fn shown_settings(cluster: &Cluster) -> String {
    let settings = SHOWN_SETTINGS.iter().filter_map(|name| {
        cluster
            .settings()
            .get(*name)
            .map(|value| format!("{name} {value}"))
    });
    settings.collect::<Vec<_>>().join(", ")
}

async fn work(cluster: &Cluster, config: &ClusterConfig, args: &DemoArgs) -> Result<(), CliError> {
    create_database(cluster, &config.database).await?;
    let connector = connection(cluster, &config.database);
    let session = Session::open(&connector, show).await?;
    work::create_extension(&session).await?;
    let loaded = work::load(&session, args.warehouses).await?;
    let tour = work::Tour {
        connector: &connector,
        duration: args.duration,
        connections: args.connections,
    };
    let modes = tour.show(&session).await?;
    work::probe(&connector).await?;
    let verdict = work::check_all(&session).await?;
    let server = format!(
        "{}, {}",
        cluster.binaries().version(),
        shown_settings(cluster)
    );
    say!("{}", work::summary(&server, &loaded, &modes, &verdict));
    verdict.into_result()
}

fn connection(cluster: &Cluster, database: &str) -> Connector {
    let mut config = Config::new();
    config
        .host_path(cluster.place().socket_dir())
        .port(cluster.port())
        .user(SUPERUSER)
        .dbname(database)
        .application_name("tpcc demo");
    config.into()
}

async fn create_database(cluster: &Cluster, name: &str) -> Result<(), CliError> {
    let session = Session::open(&connection(cluster, "postgres"), show).await?;
    match session
        .batch_execute(&format!("CREATE DATABASE {name}"))
        .await
    {
        Err(error) if error.code() != Some(&SqlState::DUPLICATE_DATABASE) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Where everything is.
fn whereabouts(cluster: &Cluster, config: &ClusterConfig) -> String {
    let place = cluster.place();
    let psql = cluster.binaries().program("psql");
    format!(
        "\nThe server keeps running.\n  \
         psql    {} -h {} -p {} -U {SUPERUSER} {}\n  \
         tpcc    export PGHOST={} PGPORT={} PGUSER={SUPERUSER} PGDATABASE={}\n  \
         data    {}\n  \
         log     {}\n  \
         again   the same command; it uses the server and the rows that are there\n  \
         remove  make clean-demo, or tpcc demo --remove --dir {}",
        psql.display(),
        place.socket_dir().display(),
        cluster.port(),
        config.database,
        place.socket_dir().display(),
        cluster.port(),
        config.database,
        place.data().display(),
        place.log().display(),
        place.dir().display(),
    )
}
