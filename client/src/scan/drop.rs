//! The end of the table.

use tokio_postgres::Client;
use workload::schema::script::literal;

use super::ScanError;
use super::tables::{command, find};
use crate::load::lock_schema;
use crate::load::query::names;
use crate::schema::quote_identifier;

/// Drops the table and what is remembered of it, and the schema when nothing is left in it. Gives what became of it.
///
/// # Errors
/// [`ScanError::Refused`] where there is no such table, or not one that a load made; [`ScanError::Load`] while a load
/// or a run is at work there. Nothing is dropped then.
pub async fn drop_table(client: &Client, schema: &str) -> Result<String, ScanError> {
    client.batch_execute("BEGIN").await?;
    lock_schema(client, schema).await?;
    if find(client, schema).await?.is_none() {
        return Err(ScanError::Refused {
            found: format!("schema \"{schema}\" holds no table of a scan"),
            hint: format!(
                "Nothing was dropped. {} makes one.",
                command("load", schema)
            ),
        });
    }
    let quoted = quote_identifier(schema);
    let sql = include_str!("../../../sql/scan/drop.sql").replace("{schema}", &quoted);
    client.batch_execute(&sql).await?;
    let sql = include_str!("../../../sql/client/may_drop_schema.sql");
    let may = names(client, &sql.replace("{name}", &literal(schema))).await?;
    let whole = may.first().is_some_and(|may| may == "t");
    if whole {
        client
            .batch_execute(&format!("DROP SCHEMA {quoted}"))
            .await?;
    }
    client.batch_execute("COMMIT").await?;
    Ok(if whole {
        format!("schema \"{schema}\" is dropped")
    } else {
        format!(
            "the scan's table in schema \"{schema}\" is dropped; the schema stays: something else is in it, or it was \
             given to this role"
        )
    })
}
