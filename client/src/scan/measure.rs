//! The same count, degree by degree, each several times, with what EXPLAIN tells of it.
//!
//! Each degree has a transaction of its own, which is rolled back: its settings, and the number of workers that the
//! table says of itself, are gone with it.

use std::pin::pin;

use tokio_postgres::SimpleQueryRow;
use tokio_postgres::error::SqlState;
use workload::counted;
use workload::result::rfc3339;
use workload::scan::{
    FORMAT_NAME, FORMAT_VERSION, Run, ScanConfig, ScanDocument, ScanServer, Step, ladder,
    serial_share, with_serial,
};
use workload::schema::lock;

use super::ScanError;
use super::cancel::or_cancel;
use super::tables::{Found, command, find};
use crate::connect::{Connector, Session};
use crate::driver::engine::unix_us;
use crate::load::query::{number, rows, text};
use crate::schema::quote_identifier;

const WRITTEN_BY: &str = concat!("tpcc ", env!("CARGO_PKG_VERSION"));

/// Which degrees are to be measured; 0 always is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degrees {
    /// These.
    List(Vec<u32>),
    /// 0, 1, 2, 4 and so on up to this.
    UpTo(u32),
    /// The same up to the server's max_parallel_workers.
    Server,
}

/// What a run is asked to do.
#[derive(Debug, Clone)]
pub struct MeasureOptions {
    /// The schema's name.
    pub schema: String,
    /// The degrees.
    pub degrees: Degrees,
    /// Executions a degree, at least 1.
    pub runs: u32,
}

/// What a run found, and what ended it before its end.
#[derive(Debug)]
pub struct Measured {
    /// At least one degree.
    pub document: ScanDocument,
    /// The error that it ended with; none after Ctrl-C too, which the document tells.
    pub failure: Option<ScanError>,
}

/// Measures all degrees. `tell` gets what happens, a line at a time; `interrupt` cancels the statement under way when
/// it is ready, and what was measured by then is the result.
///
/// # Errors
/// [`ScanError`] when not even one degree was measured.
pub async fn measure(
    connector: &Connector,
    options: &MeasureOptions,
    interrupt: impl Future<Output = ()>,
    tell: impl Fn(&str),
) -> Result<Measured, ScanError> {
    let mut interrupt = pin!(interrupt);
    let session = Session::open(connector, |_| {}).await?;
    let limits = or_cancel(&session, &mut interrupt, async {
        let table = whole(&session, &options.schema).await?;
        Limits::ask(&session, &table).await
    })
    .await?;
    let degrees = limits.degrees(&options.degrees)?;
    for line in limits.doubts(&degrees) {
        tell(&line);
    }
    let scan = Scan {
        session: &session,
        options,
        limits: &limits,
    };
    let mut document = ScanDocument {
        format: FORMAT_NAME.to_owned(),
        version: FORMAT_VERSION,
        written_by: WRITTEN_BY.to_owned(),
        started_at: rfc3339(unix_us()),
        config: ScanConfig {
            schema: options.schema.clone(),
            degrees: degrees.clone(),
            runs: options.runs,
        },
        server: limits.server.clone(),
        steps: Vec::new(),
        serial_share: None,
        partial_reason: None,
    };
    let mut failure = None;
    for degree in degrees {
        let step = async {
            let runs = scan.degree(degree, &tell).await?;
            let serial_ms = document.steps.first().map(|step| step.median_ms);
            let leader = limits.server.leader_participates;
            Ok(Step::new(degree, runs, serial_ms, leader))
        };
        match or_cancel(&session, &mut interrupt, step).await {
            Ok(step) => document.steps.push(step),
            Err(error) if document.steps.is_empty() => return Err(error),
            Err(error) => {
                document.partial_reason = Some(
                    error
                        .to_string()
                        .lines()
                        .next()
                        .unwrap_or_default()
                        .to_owned(),
                );
                failure = (!matches!(error, ScanError::Interrupted)).then_some(error);
                break;
            }
        }
    }
    document.serial_share = serial_share(&document.steps);
    Ok(Measured { document, failure })
}

/// The table, which must be there as a whole.
async fn whole(session: &Session, schema: &str) -> Result<Found, ScanError> {
    let (found, rows) = match find(session, schema).await? {
        None => (
            format!("schema \"{schema}\" holds no table of a scan"),
            10_000_000,
        ),
        Some(table) if table.missing().rows() > 0 => {
            let (rows, missing) = (table.rows, table.missing().rows());
            (
                format!(
                    "schema \"{schema}\" is loaded in part only: {missing} of {rows} rows are missing"
                ),
                rows,
            )
        }
        Some(table) if !table.vacuumed => (
            format!("the load of schema \"{schema}\" did not come to its end"),
            table.rows,
        ),
        Some(table) => return Ok(table),
    };
    Err(ScanError::Refused {
        found,
        hint: format!("{} --rows {rows}", command("load", schema)),
    })
}

/// What the server can have, and the role may do.
struct Limits {
    server: ScanServer,
    /// Whether one of the server's workers is the launcher of logical replication.
    launcher: bool,
    /// Whether the table can be told, for a transaction, how many workers it is to have.
    may_alter: bool,
}

impl Limits {
    async fn ask(session: &Session, table: &Found) -> Result<Limits, ScanError> {
        let row = row(session, include_str!("../../../sql/scan/limits.sql")).await?;
        Ok(Limits {
            server: ScanServer {
                version: text(&row, 0).to_owned(),
                max_worker_processes: number(&row, 1) as u32,
                max_parallel_workers: number(&row, 2) as u32,
                leader_participates: text(&row, 3) == "t",
                shared_buffers: text(&row, 4).to_owned(),
                rows: table.rows as u64,
                seed: table.seed,
                unlogged: table.unlogged,
                bytes: table.bytes,
                matching: table.matching as u64,
            },
            launcher: text(&row, 6) == "t",
            may_alter: table.owned && text(&row, 5) != "t",
        })
    }

    /// The degrees, all of which the server can have.
    fn degrees(&self, asked: &Degrees) -> Result<Vec<u32>, ScanError> {
        let taken = u32::from(self.launcher);
        let most = self.server.max_worker_processes.saturating_sub(taken);
        let degrees = match asked {
            Degrees::List(degrees) => with_serial(degrees),
            Degrees::UpTo(most) => ladder(*most),
            Degrees::Server => ladder(self.server.max_parallel_workers.min(most)),
        };
        match degrees.last() {
            Some(&asked) if asked > most => Err(ScanError::TooMany { asked, most, taken }),
            _ => Ok(degrees),
        }
    }

    fn doubts(&self, degrees: &[u32]) -> Vec<String> {
        let mut doubts = Vec::new();
        if degrees.len() == 1 {
            doubts.push(
                "only degree 0 is measured: --max-degree 4 measures 0, 1, 2 and 4".to_owned(),
            );
            return doubts;
        }
        if self.server.max_parallel_workers == 0 {
            doubts.push("max_parallel_workers is 0, and no worker will be launched".to_owned());
        }
        if !self.may_alter {
            doubts.push(
                "the role does not own the table, or the server takes no writes:\n    \
                 the planner chooses how many workers a table of this size is worth"
                    .to_owned(),
            );
        }
        doubts
    }
}

/// The measuring of one degree after the other.
struct Scan<'a> {
    session: &'a Session,
    options: &'a MeasureOptions,
    limits: &'a Limits,
}

impl Scan<'_> {
    /// The executions of one degree.
    async fn degree(&self, degree: u32, tell: &impl Fn(&str)) -> Result<Vec<Run>, ScanError> {
        let runs = self.executions(degree, tell).await;
        match (runs, self.session.batch_execute("ROLLBACK").await) {
            (Ok(_), Err(error)) => Err(error.into()),
            // With the session its transaction has ended too.
            (runs, _) => runs,
        }
    }

    async fn executions(&self, degree: u32, tell: &impl Fn(&str)) -> Result<Vec<Run>, ScanError> {
        let quoted = quote_identifier(&self.options.schema);
        self.begin(degree, &quoted).await?;
        let count = include_str!("../../../sql/scan/count.sql").replace("{schema}", &quoted);
        let explain = include_str!("../../../sql/scan/explain.sql");
        let mut runs = Vec::new();
        for number in 1..=self.options.runs {
            let plan = row(self.session, &format!("{explain}{count}")).await?;
            let run = Run::from_plan(text(&plan, 0))?;
            let (ms, of) = (run.ms, self.options.runs);
            tell(&format!(
                "degree {degree}, run {number} of {of}: {} launched, {ms:.1} ms, {}",
                counted(run.launched, "worker"),
                if run.is_cold() { "cold" } else { "warm" }
            ));
            runs.push(run);
        }
        // EXPLAIN keeps the answer to itself.
        let found = number(&row(self.session, &count).await?, 0) as u64;
        let expected = self.limits.server.matching;
        if found != expected {
            return Err(ScanError::Count {
                degree,
                found,
                expected,
                hint: command("drop", &self.options.schema),
            });
        }
        Ok(runs)
    }

    /// Opens the transaction of a degree.
    async fn begin(&self, degree: u32, quoted: &str) -> Result<(), ScanError> {
        let schema = &self.options.schema;
        let in_use = |found: String| ScanError::Refused {
            found,
            hint: "Wait for its end.".to_owned(),
        };
        self.session.batch_execute("BEGIN").await?;
        let settings = include_str!("../../../sql/scan/settings.sql");
        let settings = settings.replace("{degree}", &degree.to_string());
        self.session.batch_execute(&settings).await?;
        let key = lock::key(lock::LEADER, schema);
        let sql = format!("SELECT pg_catalog.pg_try_advisory_xact_lock_shared({key})");
        if text(&row(self.session, &sql).await?, 0) != "t" {
            return Err(in_use(format!(
                "a load or drop of schema \"{schema}\" is going on"
            )));
        }
        if degree == 0 || !self.limits.may_alter {
            return Ok(());
        }
        let sql = include_str!("../../../sql/scan/workers.sql")
            .replace("{schema}", quoted)
            .replace("{degree}", &degree.to_string());
        let altered = self.session.batch_execute(&sql).await;
        altered.map_err(|error| match error.code() {
            Some(&SqlState::LOCK_NOT_AVAILABLE) => in_use(format!(
                "another scan or a vacuum is at work on the table in schema \"{schema}\""
            )),
            _ => error.into(),
        })
    }
}

/// The first row of a query that always has one.
async fn row(session: &Session, sql: &str) -> Result<SimpleQueryRow, ScanError> {
    let mut rows = rows(session, sql).await?;
    match rows.is_empty() {
        false => Ok(rows.swap_remove(0)),
        true => Err(ScanError::Refused {
            found: "the server gave no row for a query that always has one".to_owned(),
            hint: "Is there something between the client and the server that changes queries?"
                .to_owned(),
        }),
    }
}
