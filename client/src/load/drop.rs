//! The end of a schema: the tables of TPC-C, what is remembered of them, and the flavour's functions.

use tokio_postgres::Client;
use workload::schema::lock;
use workload::schema::script::literal;

use super::query::{names, rows};
use crate::connect::BEGIN_SAFELY;
use crate::crew::{LoadError, lock_schema};
use crate::flavour;
use crate::schema::{quote_identifier, relations, schema_exists};

/// The table of the results of runs.
const RESULTS: &str = "tpcc_results";

/// Drops the nine tables, the state of the loads and the functions of the PL/pgSQL flavour from all schemas
/// or none; the results of runs only with `results` or when there are none, and a schema when nothing is left
/// in it. Gives what became of each.
///
/// # Errors
/// [`LoadError::Refused`] without such a schema, where it is not one that a load made, and while a load or a
/// run is at work there: nothing is dropped then.
pub async fn drop_all(
    client: &Client,
    schemas: &[String],
    results: bool,
) -> Result<Vec<String>, LoadError> {
    client.batch_execute(BEGIN_SAFELY).await?;
    let mut said = Vec::new();
    for schema in schemas {
        said.push(drop_one(client, schema, results).await?);
    }
    client.batch_execute("COMMIT").await?;
    Ok(said)
}

async fn drop_one(client: &Client, schema: &str, results: bool) -> Result<String, LoadError> {
    if !schema_exists(client, schema).await? {
        return Err(LoadError::Refused {
            found: format!("schema \"{schema}\" does not exist"),
            hint: "Nothing was dropped.".to_owned(),
        });
    }
    lock_schema(client, schema).await?;
    let units = lock::key(lock::UNITS, schema);
    let wait = format!("SELECT pg_catalog.pg_advisory_xact_lock({units})");
    client.batch_execute(&wait).await?;
    let quoted = quote_identifier(schema);
    let tables = ours(client, schema).await?;
    let has_results = tables.iter().any(|name| name == RESULTS) && {
        let sql = format!("SELECT FROM {quoted}.{RESULTS} LIMIT 1");
        !rows(client, &sql).await?.is_empty()
    };
    let keep = has_results && !results;
    let dropped: Vec<_> = tables
        .iter()
        .filter(|name| !(keep && *name == RESULTS))
        .map(|name| format!("{quoted}.{name}"))
        .collect();
    if !dropped.is_empty() {
        let sql = format!("DROP TABLE {}", dropped.join(", "));
        client.batch_execute(&sql).await?;
        drop_routines(client, schema, flavour::routine_names()).await?;
    }
    let whole = drop_schema_if_ours(client, schema).await?;
    Ok(match (whole, keep) {
        (true, _) => format!("schema \"{schema}\" is dropped"),
        (false, true) => format!(
            "the tables of schema \"{schema}\" are dropped; the results of its runs stay (--results drops them)"
        ),
        (false, false) => {
            format!(
                "the tables of schema \"{schema}\" are dropped; the schema stays: something else is in it, or it \
                 was given to this role, which might not make it again"
            )
        }
    })
}

/// Drops the routines of these names in a schema that belong to no extension.
///
/// # Errors
/// What the server says.
pub(crate) async fn drop_routines(
    client: &Client,
    schema: &str,
    wanted: impl Iterator<Item = &str>,
) -> Result<(), tokio_postgres::Error> {
    let wanted: Vec<_> = wanted.map(literal).collect();
    let sql = include_str!("../../../sql/client/routines.sql")
        .replace("{names}", &wanted.join(", "))
        .replace("{name}", &literal(schema));
    for routine in names(client, &sql).await? {
        let sql = format!("DROP ROUTINE {routine}");
        client.batch_execute(&sql).await?;
    }
    Ok(())
}

/// Drops a schema in which nothing is left and that the role could make again. Gives whether it did.
///
/// # Errors
/// What the server says.
pub(crate) async fn drop_schema_if_ours(
    client: &Client,
    schema: &str,
) -> Result<bool, tokio_postgres::Error> {
    let sql = include_str!("../../../sql/client/may_drop_schema.sql");
    let may = names(client, &sql.replace("{name}", &literal(schema))).await?;
    let may = may.first().is_some_and(|may| may == "t");
    if may {
        let sql = format!("DROP SCHEMA {}", quote_identifier(schema));
        client.batch_execute(&sql).await?;
    }
    Ok(may)
}

/// Our tables in the schema; an error where they are not what a load made.
async fn ours(client: &Client, schema: &str) -> Result<Vec<String>, LoadError> {
    let found = relations(client, schema).await?;
    let refuse = |name: &str, why: &str| LoadError::Refused {
        found: format!("{name} in schema \"{schema}\" was not made by tpcc load: {why}"),
        hint: "Nothing was dropped. Drop it by hand if it is to go.".to_owned(),
    };
    let data = found.iter().find(|relation| relation.table.is_some());
    if let Some(data) = data
        && !found.iter().any(|relation| relation.name == "tpcc_scale")
    {
        return Err(refuse(&data.name, "there is no tpcc_scale beside it"));
    }
    for relation in &found {
        if let Some(why) = relation.foreign() {
            return Err(refuse(&relation.name, why));
        }
    }
    Ok(found.into_iter().map(|relation| relation.name).collect())
}
