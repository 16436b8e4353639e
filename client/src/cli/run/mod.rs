//! `tpcc run`: the load, in one mode or in all of them side by side.

mod args;
mod files;
mod show;

use std::sync::Arc;

use workload::counted;
use workload::result::{Flavour, Mode, ResultDocument};

use args::IsolationArg;
pub(super) use args::RunArgs;
pub(super) use show::{results, side_by_side};

use self::files::Files;
use super::error::unwritable;
use super::query::{refuse_read_only, show as show_notice};
use super::{CliError, interrupt};
use crate::connect::{BEGIN_SAFELY, Connector, Session};
use crate::driver::engine::Interrupt;
use crate::driver::plan::{Arrivals, Plan};
use crate::driver::{engine, hold, outcome, server};
use crate::{flavour, schema};

/// Runs what was asked for, and prints and writes what came of it.
pub(super) async fn run(args: RunArgs) -> Result<(), CliError> {
    args.check()?;
    let files = Files::open(args.json.as_deref(), args.csv.as_deref()).map_err(unwritable)?;
    let connector = args.connection.connector()?;
    let plans = plans(&args, &connector).await?;
    let (documents, failed) = run_all(&plans, tell).await?;
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
        "{} in {} on {} of schema \"{}\", seed {}{}",
        counted(plan.connections, "connection"),
        counted(plan.threads, "thread"),
        counted(plan.sets[0].warehouses as u32, "warehouse"),
        plan.schema,
        plan.seed,
        if plan.simulated_rtt.is_zero() {
            String::new()
        } else {
            format!(", round trips {:?} longer (simulated)", plan.simulated_rtt)
        }
    ));
    let session = Session::open(&plan.connector, |_| {}).await?;
    let quoted = &plan.sets[0].quoted;
    let before = outcome::server_info(&session, quoted).await?;
    hold::hold(&session, &plan.sets).await?;
    let measured = engine::run(&Arc::new(plan.clone()), interrupt, tell).await?;
    // The server may be down by now, and the figures are there all the same.
    let after = match session.is_closed() {
        false => match hold::release(&session).await {
            Ok(()) => outcome::server_info(&session, quoted).await.ok(),
            Err(_) => None,
        },
        true => match Session::open(&plan.connector, |_| {}).await {
            Ok(session) => outcome::server_info(&session, quoted).await.ok(),
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
    let seed = args.seed.unwrap_or_else(any_seed);
    let plan = |mode: Mode| Plan {
        connector: connector.clone(),
        mode,
        flavour,
        protocol: args.protocol,
        sets: sets.clone(),
        schema: args.sets.schema.clone(),
        connections: args.connections,
        threads: args.thread_count(),
        ramp_up: args.ramp_up,
        duration: args.time,
        pace: args.pace(),
        mix: args.mix,
        home: args.home_warehouse,
        isolation: args.isolation.sql().to_owned(),
        seed,
        latency_limit: args.latency_limit,
        simulated_rtt: if mode == Mode::Server {
            std::time::Duration::ZERO
        } else {
            args.simulate_rtt
        },
        report_interval: (!args.progress.is_zero()).then_some(args.progress),
    };
    let plans: Vec<Plan> = args.mode.modes().into_iter().map(plan).collect();
    for plan in &plans {
        refuse_what_the_server_cannot(args, plan)?;
    }
    Ok(plans)
}

/// What mode server cannot do.
fn refuse_what_the_server_cannot(args: &RunArgs, plan: &Plan) -> Result<(), CliError> {
    if plan.mode != Mode::Server {
        return Ok(());
    }
    let what = match plan.flavour {
        Flavour::Native if args.warehouses.is_some() => {
            "in mode server all warehouses are used: leave --warehouses out"
        }
        Flavour::Native if args.rate.is_some() && args.arrivals != Arrivals::Poisson => {
            "in mode server arrivals are at random: leave --arrivals out"
        }
        Flavour::Native if args.latency_limit.is_some() => {
            "in mode server the extension knows no limit: leave --latency-limit out"
        }
        Flavour::Plpgsql if args.isolation == IsolationArg::Serializable => {
            "in mode server a COMMIT that fails cannot be caught in PL/pgSQL: leave serializable out"
        }
        _ => return Ok(()),
    };
    Err(CliError::Usage(format!("{what}, or take another mode")))
}

/// A seed that is easy to type again.
fn any_seed() -> i64 {
    engine::unix_us().rem_euclid(1_000_000_000)
}
