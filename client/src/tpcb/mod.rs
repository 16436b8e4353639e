//! pgbench's tables: whether they are there, and how they are loaded and dropped.

mod create;
mod load;

use tokio_postgres::Client;
use workload::schema::script::literal;
use workload::tpcb::{ROUTINES, TABLES, WORKLOAD};

use crate::connect::BEGIN_SAFELY;
use crate::crew::{TablesError, lock_schema};
use crate::flavour::terminal_name;
use crate::load::drop_routines;
use crate::load::query::{number, rows, text};
use crate::schema::{quote_identifier, schema_flag};

pub use create::Partitions;
pub use load::{Options, load};

/// What a schema has.
pub struct Found {
    /// The names of the tables.
    pub tables: Vec<String>,
    /// The scale and the number of branches loaded, where a load has not come to its end.
    pub unfinished: Option<(i32, i64)>,
}

impl Found {
    fn has(&self, table: &str) -> bool {
        self.tables.iter().any(|found| found == table)
    }
}

/// The schema that is meant without a flag, as pgbench has it.
pub const DEFAULT_SCHEMA: &str = "public";

/// The command that loads a schema.
pub fn load_command(schema: &str, scale: i32) -> String {
    let flag = schema_flag(schema, DEFAULT_SCHEMA);
    format!("tpcc tpcb load --scale {scale}{flag}")
}

/// The command that drops it.
pub fn drop_command(schema: &str) -> String {
    format!("tpcc tpcb drop{}", schema_flag(schema, DEFAULT_SCHEMA))
}

/// Looks for pgbench's tables in a schema.
///
/// # Errors
/// What the server says.
pub async fn look(client: &Client, schema: &str) -> Result<Found, TablesError> {
    let sql = include_str!("../../../sql/tpcb/state.sql").replace("{name}", &literal(schema));
    let found = rows(client, &sql).await?;
    let names = found.first().map_or("", |row| text(row, 0));
    let names = names.split(',').filter(|name| !name.is_empty());
    let mut found = Found {
        tables: names.map(str::to_owned).collect(),
        unfinished: None,
    };
    if found.has("tpcb_load") {
        let sql = format!(
            "SELECT coalesce(pg_catalog.max(scale), 0), pg_catalog.count(*) FILTER (WHERE bid > 0) \
             FROM {}.tpcb_load",
            quote_identifier(schema)
        );
        let state = rows(client, &sql).await?;
        found.unfinished = state
            .first()
            .map(|row| (number(row, 0) as i32, number(row, 1)));
    }
    Ok(found)
}

/// The scale of the tables in a schema, which are there as a whole.
///
/// # Errors
/// [`TablesError`] with the command that mends it.
pub async fn scale(client: &Client, schema: &str) -> Result<i32, TablesError> {
    let found = look(client, schema).await?;
    if let Some((scale, loaded)) = found.unfinished {
        return Err(TablesError::Unfinished {
            schema: schema.to_owned(),
            found: format!("{loaded} of {scale} branches"),
            mend: load_command(schema, scale),
        });
    }
    if let Some(table) = TABLES.into_iter().find(|table| !found.has(table)) {
        return Err(TablesError::Missing {
            schema: schema.to_owned(),
            table: table.to_owned(),
            mend: format!("{}, or pgbench -i", load_command(schema, 1)),
        });
    }
    let sql = format!(
        "SELECT pg_catalog.count(*) FROM {}.pgbench_branches",
        quote_identifier(schema)
    );
    let counted = rows(client, &sql).await?;
    match counted.first().map_or(0, |row| number(row, 0)) {
        0 => Err(TablesError::Empty {
            schema: schema.to_owned(),
            table: "pgbench_branches".to_owned(),
            mend: load_command(schema, 1),
        }),
        branches => Ok(branches as i32),
    }
}

/// Drops pgbench's tables, our functions for them and what is left of a load; gives the names of the tables.
///
/// # Errors
/// [`crate::crew::LoadError::Refused`] while a load or a run is at work there, and what the server says; nothing is dropped then.
pub async fn drop_tables(client: &Client, schema: &str) -> Result<Vec<String>, TablesError> {
    client
        .batch_execute(&format!(
            "{BEGIN_SAFELY}; SET LOCAL client_min_messages = warning"
        ))
        .await?;
    lock_schema(client, schema).await?;
    let found = look(client, schema).await?;
    let quoted = quote_identifier(schema);
    if !found.tables.is_empty() {
        let names = found.tables.iter().map(|name| format!("{quoted}.{name}"));
        let sql = format!("DROP TABLE {}", names.collect::<Vec<_>>().join(", "));
        client.batch_execute(&sql).await?;
    }
    let terminal = terminal_name(&WORKLOAD);
    let names = ROUTINES.map(|routine| routine.name);
    let names = names.iter().map(|name| &**name).chain([&*terminal]);
    drop_routines(client, schema, names).await?;
    client.batch_execute("COMMIT").await?;
    Ok(found.tables)
}
