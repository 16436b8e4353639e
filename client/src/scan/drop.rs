//! The end of the table.

use tokio_postgres::Client;

use super::ScanError;
use super::tables::{command, find};
use crate::connect::BEGIN_SAFELY;
use crate::crew::lock_schema;
use crate::load::drop_schema_if_ours;
use crate::schema::quote_identifier;

/// Drops the table and what is remembered of it, and the schema when nothing is left in it. Gives what became of it.
///
/// # Errors
/// [`ScanError::Refused`] where there is no such table, or not one that a load made; [`ScanError::Load`] while a load
/// or a run is at work there. Nothing is dropped then.
pub async fn drop_table(client: &Client, schema: &str) -> Result<String, ScanError> {
    client.batch_execute(BEGIN_SAFELY).await?;
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
    let whole = drop_schema_if_ours(client, schema).await?;
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
