//! What the runs of workloads other than TPC-C have in common: their functions are installed, and they begin.

use std::sync::Arc;

use workload::result::{Flavour, Mode};
use workload::schema::{Fillfactors, script};
use workload::script::Script;

use super::super::CliError;
use super::files::Files;
use super::{RunFlags, finish};
use crate::connect::{BEGIN_SAFELY, Connector, Session};
use crate::driver::plan::{ScriptTask, Task};
use crate::flavour;
use crate::schema::quote_identifier;

/// Runs a script on the tables of a schema, which are there, and prints what came of it.
pub(in crate::cli) async fn run_script(
    connector: &Connector,
    session: &Session,
    script: Arc<dyn Script>,
    schema: &str,
    (flags, files): (&RunFlags, Files),
) -> Result<(), CliError> {
    let modes = flags.mode.modes();
    session.batch_execute(BEGIN_SAFELY).await?;
    let flavour = flavour::choose(session, None).await?;
    session.batch_execute("COMMIT").await?;
    let in_batches = modes.contains(&Mode::Server) && flavour != Flavour::Native;
    let mut routines = Vec::new();
    if modes.contains(&Mode::Udf) || in_batches {
        routines.extend(script.routines());
    }
    if in_batches {
        routines.push(flavour::terminal_routine(&*script));
        flags.check_for_batches()?;
    }
    if !routines.is_empty() {
        flavour::ensure_routines(session, schema, &routines).await?;
    }
    if modes.contains(&Mode::Server) && !in_batches {
        flags.check_for_extension()?;
        keep_results(session, schema).await?;
    }
    let task = Task::Script(ScriptTask {
        script,
        quoted: quote_identifier(schema),
    });
    finish(&flags.plans(connector, flavour, &task, schema), files).await
}

/// Makes the table in which the extension keeps a run's result, where there is none.
async fn keep_results(session: &Session, schema: &str) -> Result<(), CliError> {
    let tables = script::tables(&quote_identifier(schema), false, &Fillfactors::default());
    if let Some(table) = tables.iter().find(|table| table.name == "tpcc_results") {
        let sql = format!("SET LOCAL client_min_messages = warning; {}", table.sql);
        session.batch_execute(&sql).await?;
    }
    Ok(())
}
