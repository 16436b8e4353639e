//! What other TPC-C tools got wrong, each fault a test. Those that show in one call of a transaction run on the small
//! schema; those that show in the mass look at what one run left behind.

use std::collections::HashMap;

use tests::{Connection, Database, both_flavours, discard, flavour, loaded, sql};
use tokio::sync::OnceCell;
use workload::result::Flavour;

both_flavours!(
    order_status_reads_the_lines_of_the_customers_own_order,
    every_last_name_finds_its_middle_customer,
    repeated_items_and_any_order_of_lines_keep_line_and_stock_together,
    an_order_takes_the_number_before_the_increment,
    remote_lines_take_from_the_stock_of_the_supplying_warehouse,
);

/// A session in the database that the tests of this file share: 2 warehouses after a run of 6 seconds and 4 terminals.
async fn after_a_run() -> Connection {
    static DATABASE: OnceCell<Database<'static>> = OnceCell::const_new();
    let database = DATABASE
        .get_or_init(async || {
            let database = loaded(2).await;
            let client = database.connect().await;
            sql::run(
                &client,
                "SELECT * FROM tpcc_run('6s', workers => 4, seed => 99)",
            )
            .await;
            assert!(
                sql::number(&client, "SELECT sum(d_next_o_id - 3001) FROM tpcc.district").await
                    > 300
            );
            database
        })
        .await;
    database.connect().await
}

/// The same, in a session that finds the flavour's functions.
async fn after_a_run_with(flavour: Flavour) -> Connection {
    let client = after_a_run().await;
    if flavour == Flavour::Plpgsql {
        tpcc::flavour::ensure(&client, "tpcc").await.unwrap();
        sql::run(&client, "SET search_path = tpcc").await;
    }
    client
}

async fn small_schema(flavour: Flavour) -> Connection {
    flavour::small_schema(flavour, "tpcc").await.1
}

/// Asserts that a share of rows is as expected, to five standard deviations.
fn assert_share(what: &str, found: f64, rows: f64, share: f64) {
    let tolerance = 5.0 * (rows * share * (1.0 - share)).sqrt();
    assert!(
        (found - rows * share).abs() <= tolerance + 1.0,
        "{what}: {found} of {rows}, {share} expected"
    );
}

async fn numbers(client: &Connection, query: &str) -> Vec<f64> {
    sql::table(client, query).await[0]
        .iter()
        .map(|n| n.parse().unwrap())
        .collect()
}

/// sysbench-tpcc: the other warehouse is drawn until it equals the home one.
#[tokio::test]
async fn other_warehouse_is_never_the_home_warehouse_and_sometimes_drawn() {
    let client = after_a_run().await;
    let lines = numbers(&client, "SELECT count(*) FILTER (WHERE ol_supply_w_id <> ol_w_id), count(*) FROM tpcc.order_line WHERE ol_o_id > 3000").await;
    assert_share("remote lines", lines[0], lines[1], 0.01);
    let marked = "SELECT count(*) FROM tpcc.orders WHERE o_id > 3000 AND (o_all_local = 0) <> EXISTS (
        SELECT FROM tpcc.order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id AND ol_supply_w_id <> o_w_id)";
    assert_eq!(sql::number(&client, marked).await, 0);
    let payments = numbers(&client, "SELECT count(*) FILTER (WHERE h_c_w_id <> h_w_id), count(*) FROM tpcc.history WHERE h_amount <> 10 OR h_data LIKE '%    %'").await;
    assert_share("remote payments", payments[0], payments[1], 0.15);
    // At home the customer is of the district that is paid in; elsewhere of any.
    let districts = numbers(
        &client,
        "SELECT count(*) FILTER (WHERE h_c_w_id = h_w_id AND h_c_d_id <> h_d_id), count(DISTINCT h_c_d_id) FILTER (WHERE h_c_w_id <> h_w_id)
         FROM tpcc.history WHERE h_data LIKE '%    %'",
    )
    .await;
    assert_eq!(districts, [0.0, 10.0]);
}

/// sysbench-tpcc: the district is passed twice, and another order's lines are read.
async fn order_status_reads_the_lines_of_the_customers_own_order(flavour: Flavour) {
    let client = after_a_run_with(flavour).await;
    let newest =
        "SELECT DISTINCT ON (o_w_id, o_d_id, o_c_id) o_w_id, o_d_id, o_c_id, o_id FROM tpcc.orders
        WHERE o_c_id % 100 = 7 ORDER BY o_w_id, o_d_id, o_c_id, o_id DESC";
    let wrong = format!(
        "SELECT count(*) FROM ({newest}) AS newest, LATERAL tpcc_order_status(o_w_id, o_d_id, o_c_id, NULL) AS status
         WHERE status.o_id <> newest.o_id OR status.ol_i_ids <> (SELECT array_agg(ol_i_id ORDER BY ol_number) FROM tpcc.order_line
               WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = newest.o_id)"
    );
    assert_eq!(
        sql::number(
            &client,
            &format!("SELECT count(*) FROM ({newest}) AS newest")
        )
        .await,
        600
    );
    assert_eq!(sql::number(&client, &wrong).await, 0);
}

/// sysbench-tpcc, HammerDB: counters that are never maintained.
#[tokio::test]
async fn every_counter_is_maintained() {
    let client = after_a_run().await;
    let stock = "SELECT count(*), count(*) FILTER (WHERE orders > 0) FROM (
        SELECT s_ytd, s_order_cnt, s_remote_cnt, coalesce(quantity, 0) AS quantity, coalesce(orders, 0) AS orders, coalesce(remote, 0) AS remote
        FROM tpcc.stock LEFT JOIN (
            SELECT ol_supply_w_id, ol_i_id, sum(ol_quantity) AS quantity, count(*) AS orders, count(*) FILTER (WHERE ol_supply_w_id <> ol_w_id) AS remote
            FROM tpcc.order_line WHERE ol_o_id > 3000 GROUP BY 1, 2
        ) AS sold ON ol_supply_w_id = s_w_id AND ol_i_id = s_i_id) AS counted
        WHERE s_ytd <> quantity OR s_order_cnt <> orders OR s_remote_cnt <> remote";
    assert_eq!(
        sql::table(&client, stock).await,
        [["0", "0"]],
        "s_ytd, s_order_cnt, s_remote_cnt"
    );
    let customers = "SELECT count(*) FROM tpcc.customer
        LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, count(*) AS payments, sum(h_amount) AS paid FROM tpcc.history GROUP BY 1, 2, 3) AS h
            ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id
        LEFT JOIN (SELECT o_w_id, o_d_id, o_c_id, count(*) AS delivered FROM tpcc.orders WHERE o_id > 2100 AND o_carrier_id IS NOT NULL GROUP BY 1, 2, 3) AS o
            ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
        WHERE c_payment_cnt <> payments OR c_ytd_payment <> paid OR c_delivery_cnt <> coalesce(delivered, 0)";
    assert_eq!(
        sql::number(&client, customers).await,
        0,
        "c_payment_cnt, c_ytd_payment, c_delivery_cnt"
    );
    assert!(sql::number(&client, "SELECT sum(c_delivery_cnt) FROM tpcc.customer").await > 0);
    assert!(sql::number(&client, "SELECT sum(s_remote_cnt) FROM tpcc.stock").await > 0);
    // And what the counters stand for: quantities stay between 10 and 100, and wrap.
    assert_eq!(
        sql::table(
            &client,
            "SELECT min(s_quantity) >= 10, max(s_quantity) <= 100 FROM tpcc.stock"
        )
        .await,
        [["t", "t"]]
    );
}

/// HammerDB's prepared mode: look-ups by name never match.
async fn every_last_name_finds_its_middle_customer(flavour: Flavour) {
    let client = after_a_run_with(flavour).await;
    let wrong = "WITH named AS (
        SELECT c_last, c_id, row_number() OVER (PARTITION BY c_last ORDER BY c_first COLLATE \"C\", c_id) AS place, count(*) OVER (PARTITION BY c_last) AS n
        FROM tpcc.customer WHERE c_w_id = 2 AND c_d_id = 7)
        SELECT count(*), count(*) FILTER (WHERE status.customer_id <> c_id)
        FROM named, LATERAL tpcc_order_status(2, 7, NULL, c_last) AS status WHERE place = (n + 1) / 2";
    assert_eq!(sql::table(&client, wrong).await, [["1000", "0"]]);
    // And in the run, six payments of ten were by name: the run drew names that exist, so none failed.
    assert_eq!(
        sql::value(
            &client,
            "SELECT (result -> 'total' ->> 'failed') FROM tpcc.tpcc_results"
        )
        .await,
        "0"
    );
}

/// HammerDB, BenchBase: balances are read, then written back: updates of others in between are lost.
#[tokio::test]
async fn no_update_is_lost_when_many_pay_the_same_customers() {
    let database = loaded(1).await;
    let client = database.connect().await;
    // Eight terminals on one warehouse, payments and deliveries only.
    sql::run(
        &client,
        "SELECT * FROM tpcc_run('2s', workers => 8, mix => 'payment=9,delivery=1')",
    )
    .await;
    let broken = "SELECT condition, example FROM tpcc_check() WHERE NOT holds";
    assert_eq!(sql::table(&client, broken).await, Vec::<Vec<String>>::new());
    assert!(sql::number(&client, "SELECT count(*) FROM tpcc.history").await > 30_100);
    discard(database).await;
}

/// HammerDB: the 1% rollback commits. go-tpc, HammerDB: rolled-back orders count as throughput.
#[tokio::test]
async fn rolled_back_orders_leave_no_rows_and_are_no_throughput() {
    let client = after_a_run().await;
    let counted = "SELECT (t ->> 'committed')::bigint, (t ->> 'rolled_back')::bigint FROM tpcc.tpcc_results, jsonb_array_elements(result -> 'types') AS t WHERE t ->> 'name' = 'new_order'";
    let counted = numbers(&client, counted).await;
    assert_share("rolled back", counted[1], counted[0] + counted[1], 0.01);
    let orders = numbers(&client, "SELECT (SELECT count(*) FROM tpcc.orders WHERE o_id > 3000), (SELECT sum(d_next_o_id - 3001) FROM tpcc.district)").await;
    assert_eq!(
        orders,
        [counted[0], counted[0]],
        "orders, and numbers taken"
    );
    assert_eq!(
        sql::number(
            &client,
            "SELECT count(*) FROM tpcc.order_line WHERE ol_i_id NOT BETWEEN 1 AND 100000"
        )
        .await,
        0
    );
    let per_minute = "SELECT abs((result ->> 'new_orders_per_minute')::numeric * (result ->> 'elapsed_s')::numeric / 60 - $) < 1 FROM tpcc.tpcc_results";
    assert_eq!(
        sql::value(&client, &per_minute.replace('$', &counted[0].to_string())).await,
        "t"
    );
}

/// HammerDB: a set-based update meets a repeated item once only, and unordered RETURNING mixes up the lines.
async fn repeated_items_and_any_order_of_lines_keep_line_and_stock_together(flavour: Flavour) {
    let client = small_schema(flavour).await;
    let call =
        "SELECT * FROM tpcc_new_order(1, 4, 1, '{9,2,9,1,9,2}', '{1,1,2,1,1,1}', '{1,2,3,4,5,6}')";
    sql::row(&client, call).await;
    let lines = "SELECT ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, left(ol_dist_info, 10) FROM tpcc.order_line
        WHERE ol_w_id = 1 AND ol_d_id = 4 AND ol_o_id = 4 ORDER BY ol_number";
    assert_eq!(
        sql::table(&client, lines).await,
        [
            ["1", "9", "1", "1", "9.25", "w1-i09-d04"],
            ["2", "2", "1", "2", "4.50", "w1-i02-d04"],
            ["3", "9", "2", "3", "27.75", "w2-i09-d04"],
            ["4", "1", "1", "4", "5.00", "w1-i01-d04"],
            ["5", "9", "1", "5", "46.25", "w1-i09-d04"],
            ["6", "2", "1", "6", "13.50", "w1-i02-d04"],
        ]
    );
    let stock = "SELECT s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM tpcc.stock WHERE s_order_cnt > 0 ORDER BY 1, 2";
    assert_eq!(
        sql::table(&client, stock).await,
        [
            ["1", "1", "46", "4", "1", "0"],
            ["1", "2", "42", "8", "2", "0"],
            ["1", "9", "44", "6", "2", "0"],
            ["2", "9", "47", "3", "1", "1"]
        ]
    );
}

/// DBT-2: the order takes d_next_o_id after the increment.
async fn an_order_takes_the_number_before_the_increment(flavour: Flavour) {
    let client = after_a_run_with(flavour).await;
    let gaps = "SELECT count(*) FROM (SELECT d_next_o_id, min(o_id) AS first, max(o_id) AS last, count(*) AS n
        FROM tpcc.district JOIN tpcc.orders ON o_w_id = d_w_id AND o_d_id = d_id GROUP BY d_w_id, d_id, d_next_o_id) AS numbered
        WHERE first <> 1 OR last <> d_next_o_id - 1 OR n <> last";
    assert_eq!(sql::number(&client, gaps).await, 0);
    let client = small_schema(flavour).await;
    let call =
        "SELECT o_id FROM tpcc_new_order(2, 9, 1, '{1,2,3,4,5}', '{2,2,2,2,2}', '{1,1,1,1,1}')";
    assert_eq!(
        (
            sql::value(&client, call).await,
            sql::value(&client, call).await
        ),
        ("4".into(), "5".into())
    );
}

/// DBT-2, go-tpc: the stock of the home warehouse is updated for remote lines.
async fn remote_lines_take_from_the_stock_of_the_supplying_warehouse(flavour: Flavour) {
    let client = small_schema(flavour).await;
    sql::row(
        &client,
        "SELECT * FROM tpcc_new_order(1, 1, 1, '{1,2,3,4,5}', '{2,2,2,2,2}', '{1,1,1,1,1}')",
    )
    .await;
    let stock = "SELECT s_w_id, count(*), sum(s_ytd), sum(s_order_cnt), sum(s_remote_cnt) FROM tpcc.stock WHERE s_quantity < 50 GROUP BY 1";
    assert_eq!(
        sql::table(&client, stock).await,
        [["2", "5", "5", "5", "5"]]
    );
}

/// DBT-2: dist_info holds the column's name.
#[tokio::test]
async fn dist_info_holds_the_stock_rows_text_for_the_district() {
    let client = after_a_run().await;
    let wrong = "SELECT count(*), count(*) FILTER (WHERE ol_dist_info <> (ARRAY[s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05,
            s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10])[ol_d_id])
        FROM tpcc.order_line JOIN tpcc.stock ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id WHERE ol_o_id > 3000";
    let counts = numbers(&client, wrong).await;
    assert!(counts[0] > 1000.0);
    assert_eq!(counts[1], 0.0);
    let amounts = "SELECT count(*) FROM tpcc.order_line JOIN tpcc.item ON i_id = ol_i_id WHERE ol_o_id > 3000 AND ol_amount <> ol_quantity * i_price";
    assert_eq!(sql::number(&client, amounts).await, 0);
}

/// HammerDB, go-tpc, sysbench-tpcc: items and customers uniform instead of NURand, or with a C for each thread.
///
/// How often two draws coincide tells them apart: each of A's bits raises it by a quarter, so that NURand(1023, 1, 3000) has
/// about nine times, and NURand(8191, 1, 100000) about eighteen times, the coincidences of a uniform draw; with constants of
/// their own, the four terminals would agree far less among each other.
#[tokio::test]
async fn items_and_customers_are_nurand_with_one_constant_for_all_terminals() {
    let client = after_a_run().await;
    for (what, query, values, factor) in [
        (
            "items",
            "SELECT ol_i_id, count(*) FROM tpcc.order_line WHERE ol_o_id > 3000 GROUP BY 1",
            100_000.0,
            9.0..27.0,
        ),
        (
            "customers",
            "SELECT o_c_id, count(*) FROM tpcc.orders WHERE o_id > 3000 GROUP BY 1",
            3_000.0,
            5.0..14.0,
        ),
    ] {
        let counts: Vec<f64> = sql::table(&client, query)
            .await
            .iter()
            .map(|row| row[1].parse().unwrap())
            .collect();
        let rows: f64 = counts.iter().sum();
        let coincidences: f64 = counts.iter().map(|n| n * (n - 1.0)).sum();
        let found = coincidences / (rows * (rows - 1.0)) * values;
        assert!(
            factor.contains(&found),
            "{what}: {found:.1} times the coincidences of a uniform draw, {rows} rows"
        );
    }
}

/// HammerDB: half of the customers have bad credit.
#[tokio::test]
async fn a_tenth_of_the_customers_has_bad_credit() {
    let client = after_a_run().await;
    let credit: HashMap<String, f64> = sql::table(
        &client,
        "SELECT c_credit, count(*) FROM tpcc.customer GROUP BY 1",
    )
    .await
    .into_iter()
    .map(|row| (row[0].clone(), row[1].parse().unwrap()))
    .collect();
    assert_share("bad credit", credit["BC"], 60_000.0, 0.1);
    assert_eq!(credit["BC"] + credit["GC"], 60_000.0);
}

/// BenchBase, sysbench: deadlocks are not retried, or retried for ever.
#[tokio::test]
async fn a_deadlock_is_retried_and_counted() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let other = database.connect().await;
    let witness = database.connect().await;
    // The terminal looks for a deadlock two seconds after it began to wait, the other session never does.
    sql::run(
        &witness,
        &format!(
            "ALTER DATABASE {} SET deadlock_timeout = '2s'",
            database.name()
        ),
    )
    .await;
    sql::run(&other, "SET deadlock_timeout = '10min'").await;
    let run = "SELECT committed > 0, failed, retried >= 1 FROM tpcc_run('10min', workers => 1, mix => 'payment=1') WHERE transaction = 'total'";
    // A payment locks customer, district and warehouse: taking the first and the last in the other order, whichever that
    // is, meets it half way.
    let runner = database.connect().await;
    let (row, ()) = tokio::join!(sql::table(&runner, run), async {
        sql::until(&witness, "SELECT count(*) > 30010 FROM tpcc.history").await;
        let waiting = "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type LIKE 'pg\\_tpcc%' AND datname = current_database() AND wait_event_type = 'Lock'";
        for (first, then) in [("warehouse", "customer"), ("customer", "warehouse")] {
            sql::run(
                &other,
                &format!("BEGIN; SELECT FROM tpcc.{first} FOR UPDATE"),
            )
            .await;
            sql::until(&witness, waiting).await;
            sql::run(&other, &format!("SELECT FROM tpcc.{then} FOR UPDATE")).await;
            sql::run(&other, "ROLLBACK").await;
        }
        sql::run(&witness, "SELECT tpcc_stop()").await;
    });
    assert_eq!(row, [["t", "0", "t"]]);
    let retries =
        "SELECT (result -> 'accounting' ->> 'retries_deadlock')::int >= 1 FROM tpcc.tpcc_results";
    assert_eq!(sql::value(&client, retries).await, "t");
    discard(database).await;
}

/// BenchBase: serialization failures of a stricter isolation level become errors, or storms.
#[tokio::test]
async fn serialization_failures_are_retried_with_an_end() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let run = "SELECT committed > 20, retried > 0 FROM tpcc_run('3s', workers => 4, isolation => 'repeatable read') WHERE transaction = 'total'";
    assert_eq!(sql::table(&client, run).await, [["t", "t"]]);
    // Whatever failed in the end failed as a serialization failure, after its retries, and is counted.
    let others = "SELECT count(*) FROM tpcc.tpcc_results, jsonb_array_elements(result -> 'errors') AS e WHERE e ->> 'sqlstate' NOT IN ('40001', '40P01')";
    assert_eq!(sql::value(&client, others).await, "0");
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc_check() WHERE holds").await,
        "12"
    );
    discard(database).await;
}

/// go-tpc: histograms of one significant figure above a floor of a millisecond.
#[tokio::test]
async fn latencies_are_told_to_the_microsecond() {
    let client = after_a_run().await;
    let figures = "SELECT count(*), count(*) FILTER (WHERE f.value::bigint % 100 <> 0) FROM tpcc.tpcc_results, jsonb_array_elements(result -> 'types') AS t,
        LATERAL (SELECT e.value FROM jsonb_each_text(t -> 'service') AS e WHERE key LIKE 'p%\\_us' UNION ALL SELECT e.value FROM jsonb_each_text(t -> 'response') AS e WHERE key LIKE 'p%\\_us') AS f";
    let figures = numbers(&client, figures).await;
    assert!(
        figures[0] >= 50.0,
        "five percentiles of two times of five types: {figures:?}"
    );
    assert!(
        figures[1] > figures[0] / 2.0,
        "most are no round numbers: {figures:?}"
    );
}

/// BenchBase: a failed load only logs, and the run goes on with half the data.
#[tokio::test]
async fn no_run_goes_on_with_half_the_data() {
    let database = loaded(1).await;
    let client = database.connect().await;
    sql::run(&client, "DELETE FROM tpcc.tpcc_load WHERE part = 'item'").await;
    let error = sql::fails(&client, "SELECT * FROM tpcc_run('1s')", "TC003", &["tpcc"]).await;
    assert!(
        error.hint().is_some_and(|hint| hint.contains("tpcc_load")),
        "{error:?}"
    );
    discard(database).await;
}
