//! The initial population (clause 4.3.3.1) as the loader wrote it: every column's range, length and distribution, table
//! by table; and that the generators, and any number of workers, give the same rows.

mod expect;
mod generators;
mod tables;

use tests::{Connection, Database, loaded};
use tokio::sync::OnceCell;

/// A session in the database that all tests here share: two warehouses as loaded.
pub async fn connect() -> Connection {
    static DATABASE: OnceCell<Database<'static>> = OnceCell::const_new();
    DATABASE.get_or_init(|| loaded(2)).await.connect().await
}
