//! What is in a schema, and whether it is there as a whole.

use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};
use workload::schema::script::{INDEX_NAMES, STATE_TABLES, literal, table_named};
use workload::tpcc::Table;

use super::quote_identifier;
use crate::connect::server_message;

/// What a loaded schema says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The schema's name.
    pub schema: String,
    /// The same as an SQL identifier.
    pub quoted: String,
    /// Warehouses 1 to this are there.
    pub warehouses: i32,
    /// The seed of the population.
    pub load_seed: i64,
    /// NURand's C for last names when the data was made (clause 2.1.6.1).
    pub c_last_load: i32,
}

/// Why a schema cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The data is not there as a whole.
    #[error("schema \"{schema}\" {found}\nHINT:  {hint}")]
    NotLoaded {
        /// The schema's name.
        schema: String,
        /// What was found in it.
        found: String,
        /// The command that mends it.
        hint: String,
    },
    /// A table of somebody else has the name of one of ours.
    #[error("{table} in schema \"{schema}\" was not made by tpcc load: {why}\nHINT:  {hint}")]
    NotOurs {
        /// The schema's name.
        schema: String,
        /// The table's name.
        table: String,
        /// How that shows.
        why: String,
        /// What to do.
        hint: String,
    },
    /// The server refused a query.
    #[error("{}", server_message(.0))]
    Server(#[from] tokio_postgres::Error),
}

/// Looks at a schema before something is done with its data. Nothing is written.
///
/// # Errors
/// [`DataError::NotLoaded`] and [`DataError::NotOurs`] with the command that mends it.
pub async fn inspect(client: &Client, schema: &str) -> Result<Data, DataError> {
    if !schema_exists(client, schema).await? {
        return Err(not_loaded(schema, 1, "does not exist"));
    }
    let relations = relations(client, schema).await?;
    let tables: Vec<_> = relations.iter().filter(|r| r.table.is_some()).collect();
    if tables.len() < Table::ALL.len() {
        let found = format!("holds {} of the 9 tables of TPC-C", tables.len());
        return Err(not_loaded(schema, 1, &found));
    }
    let has = |name: &str| relations.iter().any(|relation| relation.name == name);
    if !["tpcc_load", "tpcc_load_part", "tpcc_scale", "tpcc_results"]
        .into_iter()
        .all(has)
    {
        return Err(not_loaded(schema, 1, "does not say that it was loaded"));
    }
    if let Some((relation, why)) = tables.iter().find_map(|r| Some((r, r.foreign()?))) {
        return Err(not_ours(schema, &relation.name, why, mending(schema, 1)));
    }
    let data = read_state(client, schema).await?;
    require_indexes(client, schema, data.warehouses).await?;
    Ok(data)
}

/// A relation with the name of one of our tables.
pub(crate) struct Relation {
    /// Its name.
    pub name: String,
    /// Which of the nine tables has that name; none for those of the state.
    pub table: Option<Table>,
    is_table: bool,
    columns: String,
}

impl Relation {
    /// How it shows that it is not a table that a load made.
    pub(crate) fn foreign(&self) -> Option<&'static str> {
        if !self.is_table {
            return Some("it is not a table");
        }
        let columns = self.table?.columns().iter().map(|column| column.name);
        (self.columns != columns.collect::<Vec<_>>().join(",")).then_some("it has other columns")
    }
}

/// The relations of a schema that have the names of our tables.
///
/// # Errors
/// What the server says.
pub(crate) async fn relations(
    client: &Client,
    schema: &str,
) -> Result<Vec<Relation>, tokio_postgres::Error> {
    let sql = include_str!("../../../sql/client/relations.sql");
    let rows = rows(client, &sql.replace("{name}", &literal(schema))).await?;
    let relations = rows.iter().map(|row| Relation {
        name: text(row, 0).to_owned(),
        table: table_named(text(row, 0)),
        is_table: text(row, 1) == "t",
        columns: text(row, 2).to_owned(),
    });
    Ok(relations
        .filter(|r| r.table.is_some() || STATE_TABLES.contains(&r.name.as_str()))
        .collect())
}

/// Whether there is a schema of that name.
///
/// # Errors
/// What the server says.
pub(crate) async fn schema_exists(
    client: &Client,
    schema: &str,
) -> Result<bool, tokio_postgres::Error> {
    let name = literal(schema);
    let sql = format!("SELECT FROM pg_catalog.pg_namespace WHERE nspname = {name}");
    Ok(!rows(client, &sql).await?.is_empty())
}

async fn read_state(client: &Client, schema: &str) -> Result<Data, DataError> {
    let quoted = quote_identifier(schema);
    let sql = include_str!("../../../sql/client/state.sql").replace("{schema}", &quoted);
    let rows = rows(client, &sql).await?;
    let number = |column| {
        rows.first()
            .and_then(|row| text(row, column).parse::<i64>().ok())
    };
    let [items, loaded, first, last, torn] =
        [2, 3, 4, 5, 6].map(|column| number(column).unwrap_or(0));
    let (Some(load_seed), Some(c_last_load), 1..) = (number(0), number(1), loaded) else {
        return Err(not_loaded(schema, torn as i32, "holds no whole warehouse"));
    };
    if torn > 0 {
        let found =
            format!("is loaded in part only: a load of {torn} warehouses or more was stopped");
        return Err(not_loaded(schema, torn.max(last) as i32, &found));
    }
    if items == 0 || first != 1 || last != loaded {
        let found = format!(
            "is loaded in part only: {loaded} of the warehouses 1 to {last}{}",
            if items == 0 { ", and no items" } else { "" }
        );
        return Err(not_loaded(schema, last as i32, &found));
    }
    Ok(Data {
        schema: schema.to_owned(),
        quoted,
        warehouses: last as i32,
        load_seed,
        c_last_load: c_last_load as i32,
    })
}

async fn require_indexes(client: &Client, schema: &str, warehouses: i32) -> Result<(), DataError> {
    let sql = include_str!("../../../sql/client/valid_indexes.sql");
    let rows = rows(client, &sql.replace("{name}", &literal(schema))).await?;
    let missing: Vec<_> = INDEX_NAMES
        .into_iter()
        .filter(|name| !rows.iter().any(|row| text(row, 0) == *name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let found = format!(
        "has no {}: its load did not come to its end",
        missing.join(", ")
    );
    Err(not_loaded(schema, warehouses, &found))
}

/// The command that loads a schema.
pub(crate) fn mending(schema: &str, warehouses: i32) -> String {
    let flag = schema_flag(schema, "tpcc");
    format!("tpcc load --warehouses {}{flag}", warehouses.max(1))
}

/// The flag that names a schema, as a shell reads it; nothing for the one that is meant without.
pub(crate) fn schema_flag(schema: &str, default: &str) -> String {
    if schema == default {
        return String::new();
    }
    let plain = schema
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if plain {
        format!(" --schema {schema}")
    } else {
        format!(" --schema '{}'", schema.replace('\'', "'\\''"))
    }
}

fn not_loaded(schema: &str, warehouses: i32, found: &str) -> DataError {
    DataError::NotLoaded {
        schema: schema.to_owned(),
        found: found.to_owned(),
        hint: mending(schema, warehouses),
    }
}

fn not_ours(schema: &str, table: &str, why: &str, hint: String) -> DataError {
    DataError::NotOurs {
        schema: schema.to_owned(),
        table: table.to_owned(),
        why: why.to_owned(),
        hint,
    }
}

/// The rows of one query, through the simple protocol, which every pooler passes on.
async fn rows(client: &Client, sql: &str) -> Result<Vec<SimpleQueryRow>, tokio_postgres::Error> {
    let messages = client.simple_query(sql).await?.into_iter();
    Ok(messages
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        })
        .collect())
}

fn text(row: &SimpleQueryRow, column: usize) -> &str {
    row.get(column).unwrap_or_default()
}
