//! sysbench's tables: whether they are there, and how they are loaded and dropped.

mod load;

use tokio_postgres::Client;
use workload::oltp::{ROUTINES, WORKLOAD, table};
use workload::schema::script::literal;

use crate::connect::BEGIN_SAFELY;
use crate::crew::{EMPTIED, TablesError, lock_schema};
use crate::flavour::terminal_name;
use crate::load::drop_routines;
use crate::load::query::{names, number, rows};
use crate::schema::{quote_identifier, schema_flag};

pub use load::{Loaded, Options, load};

/// The schema that is meant without a flag, as sysbench has it.
pub const DEFAULT_SCHEMA: &str = "public";
/// The table in which a load remembers what is there.
const STATE: &str = "oltp_load";

/// The tables that a schema has, and that a load of them is not finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The numbers of the tables, in order.
    pub tables: Vec<u32>,
    /// What a load that has not come to its end was to make, and how many chunks of it are there.
    pub unfinished: Option<(String, i64)>,
}

/// The command that loads a schema.
pub fn load_command(schema: &str) -> String {
    format!("tpcc oltp load{}", schema_flag(schema, DEFAULT_SCHEMA))
}

/// The command that drops it.
pub fn drop_command(schema: &str) -> String {
    format!("tpcc oltp drop{}", schema_flag(schema, DEFAULT_SCHEMA))
}

/// Looks for sysbench's tables in a schema.
///
/// # Errors
/// What the server says.
pub async fn look(client: &Client, schema: &str) -> Result<Found, TablesError> {
    let sql = include_str!("../../../sql/oltp/state.sql").replace("{name}", &literal(schema));
    let relations = names(client, &sql).await?;
    let number_of = |name: &String| name.strip_prefix("sbtest")?.parse().ok();
    let mut found = Found {
        tables: relations.iter().filter_map(number_of).collect(),
        unfinished: None,
    };
    if relations.iter().any(|name| name == STATE) {
        let sql = format!(
            "SELECT coalesce(pg_catalog.max(load) FILTER (WHERE chunk = 0), ''), \
                    pg_catalog.count(*) FILTER (WHERE chunk > 0) FROM {}.{STATE}",
            quote_identifier(schema)
        );
        let state = rows(client, &sql).await?;
        found.unfinished = state
            .first()
            .map(|row| (row.get(0).unwrap_or_default().to_owned(), number(row, 1)));
    }
    Ok(found)
}

/// The number of tables, from sbtest1 on without a gap, and the highest id in the first of them. `asked` is how many
/// there must be.
///
/// # Errors
/// [`TablesError`] with the command that mends it.
pub async fn size(
    client: &Client,
    schema: &str,
    asked: Option<u32>,
) -> Result<(u32, i32), TablesError> {
    let found = look(client, schema).await?;
    if let Some((load, _)) = found.unfinished {
        return Err(TablesError::Unfinished {
            schema: schema.to_owned(),
            found: match load.is_empty() {
                true => EMPTIED.to_owned(),
                false => format!("of {load}"),
            },
            mend: load_command(schema),
        });
    }
    let there = (1..)
        .zip(&found.tables)
        .take_while(|(n, table)| n == *table);
    let tables = there.count() as u32;
    let wanted = asked.unwrap_or(tables.max(1));
    if tables < wanted {
        return Err(TablesError::Missing {
            schema: schema.to_owned(),
            table: table(tables + 1),
            mend: format!(
                "{}, or sysbench oltp_read_write prepare",
                load_command(schema)
            ),
        });
    }
    let sql = format!(
        "SELECT coalesce(pg_catalog.max(id), 0) FROM {}.sbtest1",
        quote_identifier(schema)
    );
    let highest = rows(client, &sql).await?;
    match highest.first().map_or(0, |row| number(row, 0)) {
        0 => Err(TablesError::Empty {
            schema: schema.to_owned(),
            table: table(1),
            mend: load_command(schema),
        }),
        highest => Ok((wanted, highest as i32)),
    }
}

/// Drops sysbench's tables, our function for them and what is left of a load; gives how many tables there were.
///
/// # Errors
/// [`crate::crew::LoadError::Refused`] while a load or a run is at work there, and what the server says; nothing is
/// dropped then.
pub async fn drop_tables(client: &Client, schema: &str) -> Result<usize, TablesError> {
    client
        .batch_execute(&format!(
            "{BEGIN_SAFELY}; SET LOCAL client_min_messages = warning"
        ))
        .await?;
    lock_schema(client, schema).await?;
    let found = look(client, schema).await?;
    let quoted = quote_identifier(schema);
    let mut tables: Vec<_> = found.tables.iter().map(|number| table(*number)).collect();
    if found.unfinished.is_some() {
        tables.push(STATE.to_owned());
    }
    for table in tables {
        client
            .batch_execute(&format!("DROP TABLE {quoted}.{table}"))
            .await?;
    }
    let terminal = terminal_name(&WORKLOAD);
    let names = ROUTINES.into_iter().chain([&*terminal]);
    drop_routines(client, schema, names).await?;
    client.batch_execute("COMMIT").await?;
    Ok(found.tables.len())
}
