//! `tpcc run`: the load, in one mode or in all of them side by side.

mod args;
mod files;
mod flags;
mod scripted;
mod show;

use std::sync::Arc;

use workload::counted;
use workload::result::{Flavour, Mode, ResultDocument};

pub(super) use args::RunArgs;
pub(super) use flags::RunFlags;
pub(super) use scripted::run_script;
pub(super) use show::{results, side_by_side};

use self::files::Files;
use super::query::{refuse_read_only, show as show_notice};
use super::{CliError, interrupt};
use crate::connect::{BEGIN_SAFELY, Connector, Session};
use crate::driver::engine::Interrupt;
use crate::driver::hold::Guard;
use crate::driver::plan::{Plan, Task, TpccTask};
use crate::driver::{engine, hold, outcome, server};
use crate::{flavour, schema};

/// Runs what was asked for, and prints and writes what came of it.
pub(super) async fn run(args: RunArgs) -> Result<(), CliError> {
    args.check()?;
    let files = args.flags.files()?;
    let connector = args.flags.connection.connector()?;
    let plans = plans(&args, &connector).await?;
    finish(&plans, files).await
}

/// Runs the plans, and prints and writes what came of them.
async fn finish(plans: &[Plan], files: Files) -> Result<(), CliError> {
    let (documents, failed) = run_all(plans, tell).await?;
    // What the modes before have found is worth no less because a later one failed.
    if !documents.is_empty() {
        files.write(&documents)?;
        show::results(&documents);
    }
    if let Some(reason) = documents.iter().find_map(|d| d.partial_reason.as_ref()) {
        tell!("the result is partial: the run was {reason}");
    }
    failed.map_or(Ok(()), Err)
}

/// Runs one plan after the other. After a Ctrl-C the one under way ends early and the others are left
/// out; a second one leaves the process at once. Gives the results, and the error that ended the last run.
///
/// # Errors
/// When there is no listening to Ctrl-C.
pub(super) async fn run_all(
    plans: &[Plan],
    tell: fn(&str),
) -> Result<(Vec<ResultDocument>, Option<CliError>), CliError> {
    let mut interrupt = Box::pin(
        interrupt::listen(
            "stopping: transactions under way are brought to their end (Ctrl-C again leaves at once)",
        )
        .map_err(CliError::Signals)?,
    );
    let mut documents = Vec::new();
    for plan in plans {
        if plans.len() > 1 {
            tell(&format!("Mode {}:", plan.mode.name()));
        }
        let document = match run_one(plan, &mut interrupt, tell).await {
            Ok(document) => document,
            Err(error) => return Ok((documents, Some(error))),
        };
        let stop = document.partial;
        documents.push(document);
        if stop {
            break;
        }
    }
    Ok((documents, None))
}

async fn run_one(
    plan: &Plan,
    interrupt: Interrupt<'_>,
    tell: fn(&str),
) -> Result<ResultDocument, CliError> {
    if plan.mode == Mode::Server && plan.flavour == Flavour::Native {
        return Ok(server::run(plan, interrupt, tell).await?);
    }
    tell(&format!(
        "{} in {} on {}, seed {}{}",
        counted(plan.connections, "connection"),
        counted(plan.threads, "thread"),
        plan.place(),
        plan.seed,
        if plan.simulated_rtt.is_zero() {
            String::new()
        } else {
            format!(", round trips {:?} longer (simulated)", plan.simulated_rtt)
        }
    ));
    let session = Session::open(&plan.connector, |_| {}).await?;
    let schemas = plan.schemas();
    let quoted = schemas[0].1;
    let relations = plan.relations();
    let before = outcome::server_info(&session, quoted, &relations).await?;
    let names: Vec<&str> = schemas.iter().map(|(name, _)| *name).collect();
    let mut guard = Guard::begin(session, &plan.connector, &names).await?;
    let shared = Arc::new(plan.clone());
    let measured = tokio::select! {
        measured = engine::run(&shared, interrupt, tell) => measured?,
        never = guard.keep(tell) => match never {},
    };
    let session = guard.into_session();
    // The server may be down by now, and the figures are there all the same.
    let after = match session.is_closed() {
        false => match hold::release(&session).await {
            Ok(()) => outcome::server_info(&session, quoted, &relations)
                .await
                .ok(),
            Err(_) => None,
        },
        true => match Session::open(&plan.connector, |_| {}).await {
            Ok(session) => outcome::server_info(&session, quoted, &relations)
                .await
                .ok(),
            Err(_) => None,
        },
    };
    Ok(outcome::document(plan, measured, after.unwrap_or(before)))
}

/// A line on standard error.
pub(super) fn tell(line: &str) {
    tell!("{line}");
}

/// Looks at the database and makes a plan for each mode.
async fn plans(args: &RunArgs, connector: &Connector) -> Result<Vec<Plan>, CliError> {
    let session = Session::open(connector, show_notice).await?;
    if !args.mix.is_read_only() {
        refuse_read_only(&session, "the transactions write").await?;
    }
    session.batch_execute(BEGIN_SAFELY).await?;
    let flavour = flavour::choose(&session, args.flavour.map(Into::into)).await?;
    let mut sets = Vec::new();
    for schema in args.sets.schemas() {
        let mut data = schema::inspect(&session, &schema).await?;
        if let Some(asked) = args.warehouses {
            if asked > data.warehouses as u32 {
                return Err(CliError::Usage(format!(
                    "{asked} warehouses were asked for, and schema \"{schema}\" has {}: tpcc load \
                     --warehouses {asked} loads the others",
                    data.warehouses
                )));
            }
            data.warehouses = asked as i32;
        }
        sets.push(data);
    }
    session.batch_execute("COMMIT").await?;
    if flavour == Flavour::Plpgsql {
        for data in &sets {
            flavour::ensure(&session, &data.schema).await?;
        }
    }
    let task = Task::Tpcc(TpccTask {
        sets,
        mix: args.mix,
        home: args.home_warehouse,
    });
    let schema = &args.sets.schema;
    let mut plans = args.flags.plans(connector, flavour, &task, schema);
    for plan in &mut plans {
        plan.pace = args.pace();
    }
    refuse_what_the_server_cannot(args, flavour)?;
    Ok(plans)
}

/// What mode server cannot do.
fn refuse_what_the_server_cannot(args: &RunArgs, flavour: Flavour) -> Result<(), CliError> {
    if !args.flags.mode.modes().contains(&Mode::Server) {
        return Ok(());
    }
    match flavour {
        Flavour::Native if args.warehouses.is_some() => Err(CliError::Usage(
            "in mode server all warehouses are used: leave --warehouses out, or take another mode"
                .into(),
        )),
        Flavour::Native => args.flags.check_for_extension(),
        Flavour::Plpgsql => args.flags.check_for_batches(),
    }
}
