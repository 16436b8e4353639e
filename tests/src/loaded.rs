//! Databases that start with loaded warehouses, without a load each.

use tokio::sync::Mutex;

use crate::{Cluster, Database, sql};

/// The warehouses that [`loaded`] has a template for already.
static TEMPLATES: Mutex<Vec<i32>> = Mutex::const_new(Vec::new());

/// A database in the shared cluster with the extension and `warehouses` loaded (seed 1) in schema `tpcc`.
///
/// The first call of a test binary loads them into a template; each database is a copy of it.
pub async fn loaded(warehouses: i32) -> Database<'static> {
    let mut templates = TEMPLATES.lock().await;
    let cluster = Cluster::shared();
    let witness = cluster.witness().await;
    let name = template_name(warehouses);
    if !templates.contains(&warehouses) {
        sql::run(&witness, &format!("DROP DATABASE IF EXISTS {name}")).await;
        sql::run(&witness, &format!("CREATE DATABASE {name}")).await;
        let session = cluster.connect(&name, tpcc::cluster::SUPERUSER).await;
        sql::run(&session, "CREATE EXTENSION pg_tpcc").await;
        sql::run(
            &session,
            &format!("SELECT * FROM tpcc_load({warehouses}, 2, seed => 1)"),
        )
        .await;
        drop(session);
        templates.push(warehouses);
    }
    // Copying files costs less than logging every page, where the server has the choice.
    let strategy = match sql::number(&witness, "SELECT current_setting('server_version_num')").await
    {
        150_000.. => "STRATEGY file_copy",
        _ => "",
    };
    let elsewhere =
        format!("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '{name}')");
    sql::until(&witness, &elsewhere).await;
    cluster.fresh_copy(&name, strategy).await
}

fn template_name(warehouses: i32) -> String {
    format!("loaded_{warehouses}")
}

/// Removes a database that no test needs any more, with the sessions in it: copies of warehouses are large.
pub async fn discard(database: Database<'_>) {
    let witness = database.cluster().witness().await;
    sql::run(
        &witness,
        &format!("DROP DATABASE {} WITH (FORCE)", database.name()),
    )
    .await;
}
