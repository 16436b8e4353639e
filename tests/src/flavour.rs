//! Databases for the tests that hold for both flavours of the functions.

use workload::result::Flavour;

use crate::{Cluster, Connection, Database, small, sql};

/// Makes two tests of each function: one for the extension's functions, one for those in PL/pgSQL.
#[macro_export]
macro_rules! both_flavours {
    ($($test:ident),* $(,)?) => {
        mod native {
            $(#[tokio::test]
            async fn $test() {
                super::$test(workload::result::Flavour::Native).await;
            })*
        }
        mod plpgsql {
            $(#[tokio::test]
            async fn $test() {
                super::$test(workload::result::Flavour::Plpgsql).await;
            })*
        }
    };
}

/// A database with the rows of [`small`] in `schema`, and a session in it that finds the flavour's
/// functions by their names alone.
pub async fn small_schema(flavour: Flavour, schema: &str) -> (Database<'static>, Connection) {
    small_schema_with(flavour, schema, false).await
}

/// As [`small_schema`], with the ten foreign keys.
pub async fn small_schema_with_foreign_keys(
    flavour: Flavour,
    schema: &str,
) -> (Database<'static>, Connection) {
    small_schema_with(flavour, schema, true).await
}

async fn small_schema_with(
    flavour: Flavour,
    schema: &str,
    foreign_keys: bool,
) -> (Database<'static>, Connection) {
    let cluster = Cluster::shared();
    let database = match flavour {
        Flavour::Native => cluster.fresh_database().await,
        Flavour::Plpgsql => cluster.fresh_empty_database().await,
    };
    let client = database.connect().await;
    if foreign_keys {
        small::create_with_foreign_keys(&client, schema).await;
    } else {
        small::create(&client, schema).await;
    }
    install(flavour, &database, &client, schema).await;
    let client = database.connect().await;
    (database, client)
}

/// Makes the flavour the only one in a database that has the data, perhaps with the extension: sessions
/// opened from now on find its functions by their names alone.
pub async fn install(flavour: Flavour, database: &Database<'_>, client: &Connection, schema: &str) {
    if flavour == Flavour::Native {
        return;
    }
    sql::run(client, "DROP EXTENSION IF EXISTS pg_tpcc").await;
    let installed = tpcc::flavour::ensure(client, schema).await;
    installed.unwrap_or_else(|error| panic!("{error}"));
    let search_path = format!(
        "ALTER DATABASE {} SET search_path = {}",
        database.name(),
        sql::ident(schema)
    );
    sql::run(client, &search_path).await;
}

/// The command in the hints of a flavour that loads what is missing.
pub fn load_command(flavour: Flavour) -> &'static str {
    match flavour {
        Flavour::Native => "tpcc_load",
        Flavour::Plpgsql => "tpcc load",
    }
}
