//! A statement of the functions is planned once a session, not at every call.

use tests::flavour::install;
use tests::{discard, loaded, sql};
use workload::result::Flavour;

use crate::same::{call, inputs};

/// PostgreSQL plans the first five calls of a statement one by one before it may keep a plan.
const CALLS: usize = 400;

/// What EXPLAIN shows for a parameter of a plan that is kept; one made for a call shows the value instead.
const PARAMETER: char = '$';

#[tokio::test]
async fn plans_are_kept() {
    let database = loaded(2).await;
    let client = database.connect().await;
    install(Flavour::Plpgsql, &database, &client, "tpcc").await;
    let client = database.connect().await;
    sql::run(
        &client,
        "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on; \
         SET client_min_messages = log",
    )
    .await;
    for input in inputs().iter().take(CALLS) {
        // An order to be rolled back may fail, as it is asked to.
        let _ = client.simple_query(&call(input)).await;
    }
    let plans = client.notices();
    for (function, mark) in [
        ("New-Order", "WITH line AS MATERIALIZED"),
        ("Payment", "WITH customer_paid AS"),
        ("Order-Status", "ol_quantity::int4 AS ol_quantity"),
        ("Delivery", "WITH taken AS MATERIALIZED"),
        ("Stock-Level", "pg_catalog.count(DISTINCT"),
    ] {
        let of_function = |plan: &&String| plan.starts_with("duration") && plan.contains(mark);
        let last = plans.iter().rfind(of_function);
        let last = last.unwrap_or_else(|| panic!("{function}: no statement with {mark}"));
        let plan = last.split_once("(cost=").map_or("", |(_, plan)| plan);
        assert!(
            plan.contains(PARAMETER),
            "{function} is planned anew:\n{last}"
        );
    }
    drop(client);
    discard(database).await;
}
