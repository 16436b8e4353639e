//! `tpcc tpcb run`.

use std::sync::Arc;

use clap::Args;
use workload::result::{Flavour, Mode};
use workload::schema::Fillfactors;
use workload::schema::script;
use workload::script::Script;
use workload::tpcb::{Builtin, Shares, Tpcb};

use super::super::CliError;
use super::super::query::{refuse_read_only, show};
use super::super::run::{RunFlags, finish};
use crate::connect::{BEGIN_SAFELY, Session};
use crate::driver::plan::{ScriptTask, Task};
use crate::schema::quote_identifier;
use crate::{flavour, tpcb};

/// The flags of `tpcc tpcb run`.
#[derive(Args)]
pub(in crate::cli) struct RunArgs {
    /// Builtin script, or several with weights: tpcb-like, simple-update, select-only@9,tpcb-like@1
    #[arg(short, long, value_name = "NAME", default_value = "tpcb-like")]
    builtin: Shares,
    /// The same as --builtin simple-update
    #[arg(short = 'N', long, conflicts_with_all = ["builtin", "select_only"])]
    skip_some_updates: bool,
    /// The same as --builtin select-only
    #[arg(short = 'S', long, conflicts_with = "builtin")]
    select_only: bool,
    /// Schema of pgbench's tables
    #[arg(long, value_name = "NAME", default_value = tpcb::DEFAULT_SCHEMA)]
    schema: String,
    #[command(flatten)]
    flags: RunFlags,
}

/// Looks at the tables, installs the functions, and runs.
pub(super) async fn run(args: RunArgs) -> Result<(), CliError> {
    args.flags.check()?;
    let files = args.flags.files()?;
    let connector = args.flags.connection.connector()?;
    let shares = match (args.skip_some_updates, args.select_only) {
        (true, _) => Shares::only(Builtin::SimpleUpdate),
        (_, true) => Shares::only(Builtin::SelectOnly),
        _ => args.builtin,
    };
    let session = Session::open(&connector, show).await?;
    if !shares.is_read_only() {
        refuse_read_only(&session, "the transactions write").await?;
    }
    let modes = args.flags.mode.modes();
    session.batch_execute(BEGIN_SAFELY).await?;
    let flavour = flavour::choose(&session, None).await?;
    let scale = tpcb::scale(&session, &args.schema).await?;
    session.batch_execute("COMMIT").await?;
    let tpcb = Tpcb { scale, shares };
    if modes.contains(&Mode::Udf) {
        flavour::ensure_routines(&session, &args.schema, tpcb.routines()).await?;
    }
    if modes.contains(&Mode::Server) {
        if flavour != Flavour::Native {
            return Err(CliError::Usage(
                "mode server of tpcb needs the extension pg_tpcc in the database: CREATE EXTENSION pg_tpcc, or take \
                 --mode udf"
                    .into(),
            ));
        }
        args.flags.check_for_extension()?;
        keep_results(&session, &args.schema).await?;
    }
    let task = Task::Script(ScriptTask {
        script: Arc::new(tpcb),
        quoted: quote_identifier(&args.schema),
    });
    finish(
        &args.flags.plans(&connector, flavour, &task, &args.schema),
        files,
    )
    .await
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
