//! `tpcc load`: the initial population (clause 4.3.3), by the extension or over connections.

use std::time::Duration;

use clap::Args;
use tokio_postgres::error::SqlState;
use workload::result::Flavour;
use workload::schema::Fillfactors;
use workload::schema::script::{literal, table_named};
use workload::tpcc::Table as TpccTable;

use super::query::{refuse_read_only, run as run_query, show};
use super::{CliError, duration, loading};
use crate::connect::{ConnectArgs, Connector, Session};
use crate::crew::LoadError;
use crate::driver::hold::prepare_long_call;
use crate::flavour::{self, FlavourArg};
use crate::load::query::rows;
use crate::load::{self, Options};
use crate::report::{Table, from_rows, grouped};
use crate::schema::{SetArgs, quote_identifier};

/// More warehouses than anybody has a disk for: 100 TB.
const MOST_WAREHOUSES: i64 = 1_000_000;

/// The flags of `tpcc load`.
#[derive(Args)]
pub(super) struct LoadArgs {
    /// Warehouses that are to be there, about 100 MB each
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(i32).range(1..=MOST_WAREHOUSES))]
    pub warehouses: i32,
    /// Connections that write, or workers of the extension [default: one a processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=1000))]
    pub connections: Option<i32>,
    /// The extension's load, or one through COPY [default: native where the extension is, else plpgsql]
    #[arg(long, value_enum)]
    pub flavour: Option<FlavourArg>,
    /// Seed of the rows [default: that of the schema, 1 for a new one]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<i64>,
    /// Add the ten foreign keys of the standard
    #[arg(long)]
    pub foreign_keys: bool,
    /// Create the tables unlogged: faster, and empty after a crash
    #[arg(long)]
    pub unlogged: bool,
    /// How full the pages of a table that is created are made, 10 to 100; may be repeated
    #[arg(long, value_name = "TABLE=PERCENT", value_parser = fillfactor)]
    pub fillfactor: Vec<(TpccTable, u8)>,
    /// How long a lost connection is tried again, in seconds or with a unit
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    pub reconnect_timeout: Duration,
    #[command(flatten)]
    pub sets: SetArgs,
    #[command(flatten)]
    pub connection: ConnectArgs,
}

fn fillfactor(text: &str) -> Result<(TpccTable, u8), String> {
    let (name, percent) = text
        .split_once('=')
        .ok_or("it looks like stock=85".to_owned())?;
    let table = table_named(name).ok_or(format!("{name} is none of the nine tables"))?;
    match percent.trim_end_matches('%').parse() {
        Ok(percent @ 10..=100) => Ok((table, percent)),
        _ => Err(format!(
            "the fillfactor of {name} is {percent}, not 10 to 100"
        )),
    }
}

/// Loads each schema, one after the other, and prints a table for each.
pub(super) async fn run(args: LoadArgs) -> Result<(), CliError> {
    let connector = args.connection.connector()?;
    let session = Session::open(&connector, show).await?;
    refuse_read_only(&session, "a load writes").await?;
    let flavour = choose(&session, args.flavour.map(Into::into)).await?;
    if flavour == Flavour::Native {
        for schema in args.sets.schemas() {
            native(&session, &args, &schema).await?;
        }
        return Ok(());
    }
    drop(session);
    for schema in args.sets.schemas() {
        over_connections(&connector, &args, &schema).await?;
    }
    Ok(())
}

/// The flavour; the extension is created where it can be.
async fn choose(session: &Session, asked: Option<Flavour>) -> Result<Flavour, CliError> {
    let flavour = match asked {
        // Whether it can be created is still to be seen.
        Some(Flavour::Native) => flavour::choose(session, None).await?,
        asked => flavour::choose(session, asked).await?,
    };
    if flavour == Flavour::Native || asked == Some(Flavour::Plpgsql) {
        return Ok(flavour);
    }
    let sql = "SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'pg_tpcc'";
    let why = if rows(session, sql).await?.is_empty() {
        "the server has no extension pg_tpcc"
    } else {
        match session.batch_execute("CREATE EXTENSION pg_tpcc").await {
            Ok(()) => {
                tell!("extension pg_tpcc created");
                return Ok(Flavour::Native);
            }
            Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
                "this role may not create the extension pg_tpcc"
            }
            Err(error) => return Err(error.into()),
        }
    };
    if asked.is_some() {
        return Err(CliError::Usage(format!(
            "--flavour native cannot be had: {why}; --flavour plpgsql loads over connections"
        )));
    }
    tell!("{why}: loading over connections, with functions in PL/pgSQL");
    Ok(flavour)
}

/// By the extension's workers.
async fn native(session: &Session, args: &LoadArgs, schema: &str) -> Result<(), CliError> {
    let extension = super::check::extension_schema(session)
        .await?
        .ok_or(CliError::NoExtension)?;
    let or_null = |value: Option<i64>| value.map_or("NULL".to_owned(), |value| value.to_string());
    let fillfactors: Vec<_> = args
        .fillfactor
        .iter()
        .map(|(table, percent)| format!("\"{table}\": {percent}"))
        .collect();
    let sql = format!(
        "SELECT table_name AS \"table\", row_count AS rows, bytes, seconds FROM {extension}.tpcc_load( \
             warehouses => {}, workers => {}, schema => {}, seed => {}, foreign_keys => {}, unlogged => {}, \
             fillfactors => '{{{}}}')",
        args.warehouses,
        or_null(args.connections.map(Into::into)),
        literal(schema),
        or_null(args.seed),
        args.foreign_keys,
        args.unlogged,
        fillfactors.join(", ")
    );
    prepare_long_call(session).await?;
    // As a load over connections says it.
    let loaded = run_query(session, &sql)
        .await
        .map_err(|error| match error {
            CliError::Interrupted => CliError::Load(LoadError::Interrupted),
            CliError::Server(error) => CliError::Load(error.into()),
            other => other,
        })?;
    say!("{}", from_rows(&loaded));
    Ok(())
}

/// Through COPY over connections, with the functions in PL/pgSQL.
async fn over_connections(
    connector: &Connector,
    args: &LoadArgs,
    schema: &str,
) -> Result<(), CliError> {
    let mut fillfactors = Fillfactors::default();
    for (table, percent) in &args.fillfactor {
        fillfactors.set(*table, *percent);
    }
    let options = Options {
        warehouses: args.warehouses,
        connections: loading::connections(args.connections.map(|asked| asked.unsigned_abs())),
        schema: schema.to_owned(),
        quoted: quote_identifier(schema),
        seed: args.seed,
        foreign_keys: args.foreign_keys,
        unlogged: args.unlogged,
        fillfactors,
        reconnect_timeout: args.reconnect_timeout,
        report_every: loading::report_every(),
    };
    let interrupt = loading::interrupted()?;
    let reports = load::load(connector, &options, interrupt, |line| tell!("  {line}")).await?;
    let session = Session::open(connector, show).await?;
    flavour::ensure(&session, schema).await?;
    let mut table = Table::new(["table", "rows", "bytes", "seconds"]);
    for report in reports {
        table.row([
            report.table.name().to_owned(),
            grouped(&report.rows.to_string()),
            grouped(&report.bytes.to_string()),
            format!("{:.3}", report.seconds),
        ]);
    }
    say!("{table}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fillfactor_names_a_table_and_a_percentage() {
        assert_eq!(fillfactor("stock=85"), Ok((TpccTable::Stock, 85)));
        for text in [
            "stock",
            "stock=",
            "stock=9",
            "stock=101",
            "stick=80",
            "stock=-1",
        ] {
            assert!(fillfactor(text).is_err(), "{text}");
        }
    }
}
