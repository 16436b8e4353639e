//! The generators as row sources against the loader, and loads by any number of workers.

use tests::{Connection, sql};

use crate::connect;
use crate::expect::differing;

const GENERATORS: [(&str, &str); 9] = [
    ("item", "SELECT g.* FROM tpcc_gen_item(1) AS g"),
    (
        "warehouse",
        "SELECT g.* FROM generate_series(1, 2) AS w, LATERAL tpcc_gen_warehouse(w, 1) AS g",
    ),
    (
        "district",
        "SELECT g.* FROM generate_series(1, 2) AS w, LATERAL tpcc_gen_district(w, 1) AS g",
    ),
    (
        "customer",
        "SELECT g.* FROM generate_series(1, 2) AS w, LATERAL tpcc_gen_customer(w, 1) AS g",
    ),
    (
        "history",
        "SELECT g.* FROM generate_series(1, 2) AS w, LATERAL tpcc_gen_history(w, 1) AS g",
    ),
    (
        "orders",
        "SELECT g.* FROM generate_series(1, 2) AS w, LATERAL tpcc_gen_orders(w, 1) AS g",
    ),
    (
        "new_order",
        "SELECT g.* FROM generate_series(1, 2) AS w, LATERAL tpcc_gen_new_order(w, 1) AS g",
    ),
    (
        "order_line",
        "SELECT g.* FROM generate_series(1, 2) AS w, LATERAL tpcc_gen_order_line(w, 1) AS g",
    ),
    (
        "stock",
        "SELECT g.* FROM generate_series(1, 2) AS w, LATERAL tpcc_gen_stock(w, 1) AS g",
    ),
];

#[tokio::test]
async fn generators_give_the_rows_of_the_load() {
    let client = connect().await;
    sql::run(&client, "SET work_mem = '256MB'").await;
    for (table, generator) in GENERATORS {
        assert_eq!(
            differing(&client, &format!("SELECT * FROM tpcc.{table}"), generator).await,
            0,
            "{table}"
        );
    }
}

/// A number that depends on all columns of all rows of a table, whatever their order.
async fn digest(client: &Connection, rows: &str) -> String {
    sql::value(client, &format!("SELECT count(*) || ' rows, ' || sum(hash_record_extended(r, 0)::numeric) FROM ({rows}) AS r")).await
}

#[tokio::test]
async fn any_number_of_workers_loads_the_same_rows_and_another_seed_loads_others() {
    let client = connect().await;
    sql::run(
        &client,
        "SELECT * FROM tpcc_load(2, 1, schema => 'one', seed => 1)",
    )
    .await;
    sql::run(
        &client,
        "SELECT * FROM tpcc_load(2, 3, schema => 'three', seed => 1)",
    )
    .await;
    for (table, generator) in GENERATORS {
        let by_two = digest(&client, &format!("SELECT * FROM tpcc.{table}")).await;
        assert_eq!(
            by_two,
            digest(&client, &format!("SELECT * FROM one.{table}")).await,
            "{table}, one worker"
        );
        assert_eq!(
            by_two,
            digest(&client, &format!("SELECT * FROM three.{table}")).await,
            "{table}, three workers"
        );
        if table != "new_order" {
            let other = generator
                .replace(", 1) AS g", ", 2) AS g")
                .replace("item(1)", "item(2)");
            assert_ne!(
                by_two,
                digest(&client, &other).await,
                "{table}, another seed"
            );
        }
    }
}

#[tokio::test]
async fn generators_are_immutable_and_parallel_safe() {
    let client = connect().await;
    let wrong = "SELECT count(*), count(*) FILTER (WHERE provolatile <> 'i' OR proparallel <> 's') FROM pg_proc WHERE proname LIKE 'tpcc\\_gen\\_%'";
    assert_eq!(sql::table(&client, wrong).await, [["9", "0"]]);
    // The same columns as the tables, by name, type and order.
    for (table, generator) in GENERATORS {
        let columns = |from: &str| {
            format!(
                "SELECT string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '{from}'::regclass AND attnum > 0"
            )
        };
        sql::run(
            &client,
            &format!("CREATE TEMPORARY VIEW made_{table} AS {generator}"),
        )
        .await;
        assert_eq!(
            sql::value(&client, &columns(&format!("made_{table}"))).await,
            sql::value(&client, &columns(&format!("tpcc.{table}"))).await,
            "{table}"
        );
    }
}
