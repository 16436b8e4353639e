//! The consistency conditions (clause 3.3.2) by the project's own SQL, where there is no extension.

use tokio_postgres::Client;
use workload::schema::checks::CONDITIONS;

use crate::sql;

/// The conditions that do not hold, by number, each with an example; the eleventh, which only a load
/// that nobody worked on meets, is left out.
pub async fn broken(client: &Client, schema: &str) -> Vec<(usize, String)> {
    let mut broken = Vec::new();
    for (number, condition) in (1..).zip(CONDITIONS).filter(|(number, _)| *number != 11) {
        let row = sql::row(client, &condition.replace("{schema}", &sql::ident(schema))).await;
        if row.get(0) != Some("0") {
            broken.push((number, row.get(1).unwrap_or_default().to_owned()));
        }
    }
    broken
}
