//! `tpcc oltp run`.

use std::sync::Arc;

use clap::Args;
use workload::oltp::{MOST_TABLES, Oltp, Variant};

use super::super::CliError;
use super::super::query::{refuse_read_only, show};
use super::super::run::{RunFlags, run_script};
use super::knobs::KnobFlags;
use crate::connect::{BEGIN_SAFELY, Session};
use crate::oltp;
use crate::schema::valid_name;

/// The flags of `tpcc oltp run`.
#[derive(Args)]
pub(in crate::cli) struct RunArgs {
    /// sysbench's script, with or without oltp_
    ///
    /// read_write, read_only, write_only, point_select, update_index, update_non_index, insert or delete
    #[arg(long, value_name = "NAME", default_value = "oltp_read_write")]
    variant: Variant,
    /// Tables to run on [default: all, from sbtest1 on]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_TABLES)))]
    tables: Option<u32>,
    /// Ids are drawn up to this one [default: the highest in sbtest1]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(i32).range(1..))]
    table_size: Option<i32>,
    /// Schema of sysbench's tables
    #[arg(long, value_name = "NAME", default_value = oltp::DEFAULT_SCHEMA, value_parser = valid_name)]
    schema: String,
    #[command(flatten)]
    knobs: KnobFlags,
    #[command(flatten)]
    flags: RunFlags,
}

/// Looks at the tables, installs the function, and runs.
pub(super) async fn run(args: RunArgs) -> Result<(), CliError> {
    args.flags.check()?;
    let knobs = args.knobs.knobs()?;
    let files = args.flags.files()?;
    let connector = args.flags.connection.connector()?;
    let session = Session::open(&connector, show).await?;
    if !args.variant.is_read_only() {
        refuse_read_only(&session, "the transactions write").await?;
    }
    session.batch_execute(BEGIN_SAFELY).await?;
    let (tables, highest) = oltp::size(&session, &args.schema, args.tables).await?;
    session.batch_execute("COMMIT").await?;
    let script = Oltp {
        tables,
        table_size: args.table_size.unwrap_or(highest),
        variant: args.variant,
        knobs,
    };
    if script.is_empty() {
        return Err(CliError::Usage(
            "a transaction without a statement was asked for: every knob of it is 0".into(),
        ));
    }
    let schema = args.schema.clone();
    run_script(
        &connector,
        &session,
        Arc::new(script),
        &schema,
        (&args.flags, files),
    )
    .await
}
