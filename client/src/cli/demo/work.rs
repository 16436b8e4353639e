//! What the demo does in its database: extension, load, run, check.

use std::time::{Duration, Instant};

use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::error::SqlState;

use super::super::CliError;
use super::super::check::{Verdict, check};
use super::super::query::run as run_query;
use crate::connect::Session;
use crate::report::{Table, from_rows, grouped};

/// The figures of a run that a terminal has room for; `tpcc_runs` keeps all.
const RUN_COLUMNS: &str = "transaction, committed, rolled_back, retried, failed, \
                           round(per_minute::numeric) AS per_minute, \
                           round(share::numeric, 2) AS \"share %\", \
                           round(mean_ms::numeric, 2) AS mean_ms, \
                           round(p50_ms::numeric, 2) AS p50_ms, \
                           round(p95_ms::numeric, 2) AS p95_ms, \
                           round(p99_ms::numeric, 2) AS p99_ms, \
                           round(max_ms::numeric, 2) AS max_ms";

/// What was done and measured.
pub(super) struct Outcome {
    rows: u64,
    size: String,
    load_time: Duration,
    new_orders_per_minute: String,
    transactions_per_minute: String,
    pub verdict: Verdict,
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
    eprintln!(
        "CREATE EXTENSION pg_tpcc\n  version {}",
        row.get::<_, &str>(0)
    );
    Ok(())
}

/// Loads, runs and checks, and prints what each of them gives.
pub(super) async fn load_run_check(
    session: &Session,
    warehouses: u32,
    duration: Duration,
    workers: usize,
) -> Result<Outcome, CliError> {
    eprintln!("Loading {} ...", counted(warehouses));
    let sql = format!(
        "SELECT table_name AS \"table\", row_count AS rows, pg_size_pretty(bytes) AS size \
         FROM tpcc_load(warehouses => {warehouses})"
    );
    let start = Instant::now();
    let loaded = run_query(session, &sql).await?;
    let load_time = start.elapsed();
    println!("{}", from_rows(&loaded));
    let rows = fields(&loaded, "rows")
        .filter_map(|rows| rows.parse::<u64>().ok())
        .sum();
    let sql = "SELECT pg_size_pretty(pg_database_size(current_database()))";
    let size = session.query_one(sql, &[]).await?.get(0);

    let seconds = duration.as_secs_f64();
    eprintln!("Running the standard mix for {seconds} s with {workers} workers ...");
    let sql = format!(
        "SELECT {RUN_COLUMNS} FROM tpcc_run(duration => '{seconds} s', workers => {workers})"
    );
    let measured = run_query(session, &sql).await?;
    println!("{}", from_rows(&measured));
    let per_minute = |transaction: &str| {
        let mut names = fields(&measured, "transaction").zip(fields(&measured, "per_minute"));
        let found = names
            .find(|(name, _)| *name == transaction)
            .ok_or(CliError::Answer("tpcc_run"));
        Ok::<_, CliError>(grouped(found?.1))
    };
    let (new_orders, all) = (per_minute("new_order")?, per_minute("total")?);

    eprintln!("Checking the twelve consistency conditions ...");
    let verdict = check(session, "tpcc").await?;
    Ok(Outcome {
        rows,
        size,
        load_time,
        new_orders_per_minute: new_orders,
        transactions_per_minute: all,
        verdict,
    })
}

fn counted(warehouses: u32) -> String {
    let plural = if warehouses == 1 { "" } else { "s" };
    format!("{warehouses} warehouse{plural}")
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

impl Outcome {
    /// The summary: what was loaded and what came out.
    pub(super) fn summary(
        &self,
        server: &str,
        warehouses: u32,
        duration: Duration,
        workers: usize,
    ) -> Table {
        let loaded = format!(
            "{}, {} rows, {}, loaded in {:.1} s",
            counted(warehouses),
            grouped(&self.rows.to_string()),
            self.size,
            self.load_time.as_secs_f64()
        );
        let ran = format!("{} s, {workers} workers", duration.as_secs_f64());
        let mut table = Table::new(["pg_tpcc demo", ""]);
        table
            .row(["server", server])
            .row(["load", &loaded])
            .row(["run", &ran])
            .row(["new orders/min", &self.new_orders_per_minute])
            .row(["transactions/min", &self.transactions_per_minute])
            .row(["consistency", &self.verdict.to_string()]);
        table
    }
}
