//! `tpcc tpcb run`.

use std::sync::Arc;

use clap::Args;
use workload::tpcb::{Builtin, Shares, Tpcb};

use super::super::CliError;
use super::super::query::{refuse_read_only, show};
use super::super::run::{RunFlags, run_script};
use crate::connect::{BEGIN_SAFELY, Session};
use crate::schema::valid_name;
use crate::tpcb;

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
    #[arg(long, value_name = "NAME", default_value = tpcb::DEFAULT_SCHEMA, value_parser = valid_name)]
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
    session.batch_execute(BEGIN_SAFELY).await?;
    let scale = tpcb::scale(&session, &args.schema).await?;
    session.batch_execute("COMMIT").await?;
    let script = Arc::new(Tpcb { scale, shares });
    run_script(
        &connector,
        &session,
        script,
        &args.schema,
        (&args.flags, files),
    )
    .await
}
