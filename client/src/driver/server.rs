//! Mode server: `tpcc_run` in the server, one call a table set; the client waits and shows its progress.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio_postgres::types::Type;
use workload::result::{FormatError, ResultDocument, merge};
use workload::schema::script::literal;
use workload::stats::HistogramTextError;

use super::engine::Interrupt;
use super::hold::prepare_long_call;
use super::plan::{Pace, Plan, Task, TpccTask};
use crate::connect::{ConnectError, Notice, Session, server_message};

/// Why a run in the server brought no result.
#[derive(Debug, thiserror::Error)]
pub enum ServerRunError {
    /// No connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server refused it.
    #[error("{}", server_message(.0))]
    Server(#[from] tokio_postgres::Error),
    /// The role may not keep or read results, which is how they come to the client.
    #[error(
        "the role \"{role}\" may not keep results in {quoted}.tpcc_results: GRANT SELECT, INSERT ON \
         {quoted}.tpcc_results TO \"{role}\", or take --mode udf"
    )]
    NoRight {
        /// Who it is.
        role: String,
        /// The schema, quoted.
        quoted: String,
    },
    /// It ran, but its result was not kept.
    #[error("tpcc_run has ended, but the server kept no result of it: {0}")]
    NotKept(String),
    /// The document of another version.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The document's histograms cannot be read.
    #[error(transparent)]
    Histogram(#[from] HistogramTextError),
}

/// What the server said on the side during one call.
#[derive(Default)]
struct Said {
    /// The run's number in tpcc_results.
    run_id: Option<i64>,
    /// The last warning, for the case that there is no result.
    warning: Option<String>,
}

/// Runs on all table sets at the same time.
///
/// # Errors
/// What the server says about the first set that cannot be run.
pub async fn run(
    plan: &Plan,
    interrupt: Interrupt<'_>,
    tell: fn(&str),
) -> Result<ResultDocument, ServerRunError> {
    let mut calls = Vec::new();
    for index in 0..plan.schemas().len() {
        calls.push(Call::open(plan, index, tell).await?);
    }
    let mut tasks = tokio::task::JoinSet::new();
    let mut stoppers = Vec::new();
    for call in calls {
        stoppers.push(call.schema.clone());
        tasks.spawn(call.finish());
    }
    let mut documents = Vec::new();
    let mut stopped = false;
    while !tasks.is_empty() {
        tokio::select! {
            ended = tasks.join_next() => match ended {
                Some(Ok(document)) => documents.push(document?),
                Some(Err(panic)) => std::panic::resume_unwind(panic.into_panic()),
                None => {}
            },
            () = &mut *interrupt, if !stopped => {
                stopped = true;
                stop(plan, &stoppers).await?;
            }
        }
    }
    Ok(merge(documents)?)
}

/// Ends the runs early; their results are partial then.
async fn stop(plan: &Plan, schemas: &[String]) -> Result<(), ServerRunError> {
    let session = Session::open(&plan.connector, |_| {}).await?;
    let sql = format!("SELECT {}.tpcc_stop($1)", functions_schema(&session).await?);
    for schema in schemas {
        session.query_typed(&sql, &[(schema, Type::TEXT)]).await?;
    }
    Ok(())
}

/// One `tpcc_run`, about to be called.
struct Call {
    session: Session,
    schema: String,
    quoted: String,
    sql: String,
    said: Arc<Mutex<Said>>,
}

impl Call {
    async fn open(plan: &Plan, index: usize, tell: fn(&str)) -> Result<Call, ServerRunError> {
        let said = Arc::new(Mutex::new(Said::default()));
        let sink = Arc::clone(&said);
        let session = Session::open(&plan.connector, move |notice| {
            tell(&line(&notice));
            sink.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .hear(&notice);
        })
        .await?;
        let (schema, quoted) = plan.schemas()[index];
        let (schema, quoted) = (schema.to_owned(), quoted.to_owned());
        let sql = "SELECT pg_catalog.has_table_privilege($1, 'INSERT') \
                   AND pg_catalog.has_table_privilege($1, 'SELECT'), current_user::text";
        let results = format!("{quoted}.tpcc_results");
        let row = session
            .query_typed_one(sql, &[(&results, Type::TEXT)])
            .await?;
        if !row.get::<_, bool>(0) {
            return Err(ServerRunError::NoRight {
                role: row.get(1),
                quoted,
            });
        }
        let functions = functions_schema(&session).await?;
        prepare_long_call(&session).await?;
        Ok(Call {
            sql: call(plan, index, &schema, &functions),
            session,
            schema,
            quoted,
            said,
        })
    }

    async fn finish(self) -> Result<ResultDocument, ServerRunError> {
        self.session.simple_query(&self.sql).await?;
        let said = std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(run_id) = said.run_id else {
            let why = said.warning.unwrap_or_else(|| "it said nothing".to_owned());
            return Err(ServerRunError::NotKept(why));
        };
        let sql = format!(
            "SELECT result::text FROM {}.tpcc_results WHERE run_id = $1",
            self.quoted
        );
        let row = self
            .session
            .query_typed_one(&sql, &[(&run_id, Type::INT8)])
            .await?;
        Ok(ResultDocument::parse(row.get(0))?)
    }
}

impl Said {
    fn hear(&mut self, notice: &Notice) {
        if notice.severity() == "WARNING" {
            self.warning = Some(notice.message().to_owned());
        }
        // "..., kept as run 7 in tpcc_runs": our own words, in no other language.
        let kept = notice.message().split_once("kept as run ");
        if let Some((_, rest)) = kept
            && let Some(number) = rest.split(' ').next()
        {
            self.run_id = number.parse().ok().or(self.run_id);
        }
    }
}

fn line(notice: &Notice) -> String {
    match notice.severity() {
        "NOTICE" | "INFO" => notice.message().to_owned(),
        severity => format!("{severity}:  {}", notice.message()),
    }
}

async fn functions_schema(session: &Session) -> Result<String, tokio_postgres::Error> {
    let sql = "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e \
               JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_tpcc'";
    Ok(session.query_typed_one(sql, &[]).await?.get(0))
}

/// The statement that runs the plan's share of one table set.
fn call(plan: &Plan, index: usize, schema: &str, functions: &str) -> String {
    let sets = plan.schemas().len() as u32;
    let workers = (plan.connections - index as u32).div_ceil(sets);
    let seconds = |time: Duration| format!("'{} s'", time.as_secs_f64());
    let rate = match plan.pace {
        Pace::Rate { per_second, .. } => {
            let share = f64::from(workers) / f64::from(plan.connections);
            (per_second * share).to_string()
        }
        _ => "NULL".to_owned(),
    };
    let (seed, own) = match &plan.task {
        Task::Tpcc(task) => (task.seed_of(plan.seed, index), tpcc_arguments(plan, task)),
        Task::Script(task) => (plan.seed, task.script.run_arguments()),
    };
    let own: String = own
        .iter()
        .map(|(name, text)| format!(", {name} => {}", literal(text)))
        .collect();
    format!(
        "SELECT * FROM {functions}.{}_run(duration => {}, workers => {workers}, schema => {}, \
         ramp_up => {}, rate => {rate}, isolation => '{}', seed => {seed}, report_interval => {}{own})",
        plan.workload().name,
        seconds(plan.duration),
        literal(schema),
        seconds(plan.ramp_up),
        plan.isolation,
        plan.report_interval.map_or("NULL".to_owned(), seconds),
    )
}

fn tpcc_arguments(plan: &Plan, task: &TpccTask) -> Vec<(&'static str, String)> {
    let keying_thinking = plan.pace == Pace::KeyingThinking;
    vec![
        ("mix", task.mix.to_string()),
        ("keying_thinking", keying_thinking.to_string()),
        ("home_warehouse", task.home.to_string()),
    ]
}
