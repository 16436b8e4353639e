//! What the demo does in its database: extension, load, run, check.

use std::time::{Duration, Instant};

use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::error::SqlState;
use workload::counted;
use workload::result::{Flavour, Mode, ResultDocument};
use workload::tpcc::{HomeWarehouse, Mix};

use super::super::CliError;
use super::super::check::{Verdict, check};
use super::super::interrupt;
use super::super::probe::print_decomposition;
use super::super::query::run as run_query;
use super::super::run::{run_all, side_by_side};
use crate::connect::{Connector, Session};
use crate::driver::mode::Protocol;
use crate::driver::plan::{Pace, Plan, Task, TpccTask};
use crate::probe::{self, Options};
use crate::report::{Table, from_rows, grouped};
use crate::schema::{self, Data};

/// The simulated round trip of the second comparison: another zone of a cloud's region.
const SIMULATED_RTT: Duration = Duration::from_millis(1);
/// The schema of the demo.
const SCHEMA: &str = "tpcc";
/// The seed of the inputs: the same orders in every mode and every demo.
const SEED: i64 = 1;

/// What was loaded.
pub(super) struct Loaded {
    warehouses: u32,
    rows: u64,
    size: String,
    time: Duration,
}

/// Makes the extension anew, so that a demo after an upgrade shows the new one; the loaded tables are
/// the user's and stay. Where somebody built on the extension, the old one stays too.
pub(super) async fn create_extension(session: &Session) -> Result<(), CliError> {
    let version = "SELECT extversion FROM pg_extension WHERE extname = 'pg_tpcc'";
    let mut exists = session.query_opt(version, &[]).await?.is_some();
    if exists {
        exists = match session.batch_execute("DROP EXTENSION pg_tpcc").await {
            Ok(()) => false,
            Err(error) if error.code() == Some(&SqlState::DEPENDENT_OBJECTS_STILL_EXIST) => true,
            Err(error) => return Err(error.into()),
        };
    }
    if !exists {
        session.batch_execute("CREATE EXTENSION pg_tpcc").await?;
    }
    let row = session.query_one(version, &[]).await?;
    tell!(
        "CREATE EXTENSION pg_tpcc\n  version {}",
        row.get::<_, &str>(0)
    );
    Ok(())
}

/// Loads, and prints a row a table.
pub(super) async fn load(session: &Session, warehouses: u32) -> Result<Loaded, CliError> {
    tell!("Loading {} ...", counted(warehouses, "warehouse"));
    let sql = format!(
        "SELECT table_name AS \"table\", row_count AS rows, pg_size_pretty(bytes) AS size \
         FROM tpcc_load(warehouses => {warehouses})"
    );
    let start = Instant::now();
    let loaded = run_query(session, &sql).await?;
    let time = start.elapsed();
    say!("{}", from_rows(&loaded));
    let rows = fields(&loaded, "rows")
        .filter_map(|rows| rows.parse::<u64>().ok())
        .sum();
    let sql = "SELECT pg_size_pretty(pg_database_size(current_database()))";
    Ok(Loaded {
        warehouses,
        rows,
        size: session.query_one(sql, &[]).await?.get(0),
        time,
    })
}

/// The four modes, without and with a longer round trip.
pub(super) struct Tour<'a> {
    pub connector: &'a Connector,
    pub duration: Duration,
    pub connections: u32,
}

impl Tour<'_> {
    /// Runs them, prints them side by side, and gives those without a delay.
    pub(super) async fn show(&self, session: &Session) -> Result<Vec<ResultDocument>, CliError> {
        let data = schema::inspect(session, SCHEMA).await?;
        let mut plain = Vec::new();
        for simulated_rtt in [Duration::ZERO, SIMULATED_RTT] {
            let how = if simulated_rtt.is_zero() {
                "with the round trip of this machine"
            } else {
                "with a round trip that is 1 ms longer (simulated)"
            };
            tell!(
                "Running the standard mix for {} s in each mode over {} connections, {how} ...",
                self.duration.as_secs_f64(),
                self.connections
            );
            let plans: Vec<Plan> = [Mode::Statements, Mode::Pipelined, Mode::Udf, Mode::Server]
                .into_iter()
                .map(|mode| self.plan(mode, &data, simulated_rtt))
                .collect();
            let (documents, failed) = run_all(&plans, |line| tell!("  {line}")).await?;
            if let Some(error) = failed {
                return Err(error);
            }
            side_by_side(&documents);
            if documents.iter().any(|document| document.partial) {
                return Err(CliError::Interrupted);
            }
            if simulated_rtt.is_zero() {
                plain = documents;
            }
        }
        Ok(plain)
    }

    fn plan(&self, mode: Mode, data: &Data, simulated_rtt: Duration) -> Plan {
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        Plan {
            connector: self.connector.clone(),
            mode,
            flavour: Flavour::Native,
            protocol: Protocol::Prepared,
            task: Task::Tpcc(TpccTask {
                sets: vec![data.clone()],
                mix: Mix::STANDARD,
                home: HomeWarehouse::Fixed,
            }),
            schema: SCHEMA.to_owned(),
            connections: self.connections,
            threads: (processors / 2).clamp(1, self.connections),
            ramp_up: self.duration / 5,
            duration: self.duration,
            pace: Pace::Closed,
            isolation: "read committed".to_owned(),
            seed: SEED,
            latency_limit: None,
            simulated_rtt: if mode == Mode::Server {
                Duration::ZERO
            } else {
                simulated_rtt
            },
            report_interval: None,
        }
    }
}

/// Takes a round trip apart, and prints where it goes.
pub(super) async fn probe(connector: &Connector) -> Result<(), CliError> {
    tell!("Probing where a round trip goes ...");
    let options = Options {
        samples: 2_000,
        time: Duration::from_secs(2),
        connections: 4,
        threads: 1,
        step_time: Duration::from_millis(200),
        table: None,
        simulated_rtt: Duration::ZERO,
    };
    let interrupt = interrupt::listen("ending, and removing the probe's table ...")
        .map_err(CliError::Signals)?;
    let document = probe::run(connector, &options, &|_| {}, interrupt).await?;
    print_decomposition(&document);
    Ok(())
}

/// Checks the twelve conditions and prints a row for each.
pub(super) async fn check_all(session: &Session) -> Result<Verdict, CliError> {
    tell!("Checking the twelve consistency conditions ...");
    check(session, SCHEMA).await
}

/// The values of one column.
fn fields<'a>(
    messages: &'a [SimpleQueryMessage],
    column: &'a str,
) -> impl Iterator<Item = &'a str> {
    messages.iter().filter_map(move |message| match message {
        SimpleQueryMessage::Row(row) => row.try_get(column).ok().flatten(),
        _ => None,
    })
}

/// The summary: what was loaded and what came out.
pub(super) fn summary(
    server: &str,
    loaded: &Loaded,
    modes: &[ResultDocument],
    verdict: &Verdict,
) -> Table {
    let what = format!(
        "{}, {} rows, {}, loaded in {:.1} s",
        counted(loaded.warehouses, "warehouse"),
        grouped(&loaded.rows.to_string()),
        loaded.size,
        loaded.time.as_secs_f64()
    );
    let mut table = Table::new(["pg_tpcc demo", ""]);
    table.row(["server", server]).row(["load", &what]);
    for document in modes {
        let figures = format!(
            "{} new orders/min, {} transactions/min",
            grouped(&format!("{:.0}", document.headline().0)),
            grouped(&format!("{:.0}", document.transactions_per_minute))
        );
        table.row([format!("mode {}", document.mode.name()), figures]);
    }
    table.row(["consistency", &verdict.to_string()]);
    table
}
