//! What `tpcc_run` reports, against what the database says was done.

use std::time::Duration;

use tests::{Connection, discard, loaded, sql};
use workload::result::ResultDocument;

/// What the tables say was done since the load: new orders, payments, deliveries, delivered districts.
struct Done {
    new_orders: i64,
    payments: i64,
    delivered: i64,
}

async fn done(client: &Connection) -> Done {
    let query = "SELECT (SELECT sum(d_next_o_id - 3001) FROM tpcc.district),
        (SELECT count(*) FROM tpcc.history) - 30000 * (SELECT count(*) FROM tpcc.warehouse),
        (SELECT sum(c_delivery_cnt) FROM tpcc.customer)";
    let row: Vec<i64> = sql::table(client, query).await[0]
        .iter()
        .map(|n| n.parse().unwrap())
        .collect();
    Done {
        new_orders: row[0],
        payments: row[1],
        delivered: row[2],
    }
}

/// The rows of a run: name, committed, rolled back, failed, skipped, retried.
async fn run(client: &Connection, arguments: &str) -> Vec<(String, [i64; 5])> {
    let query = format!(
        "SELECT transaction, committed, rolled_back, failed, skipped, retried FROM tpcc_run({arguments})"
    );
    let rows = sql::table(client, &query).await;
    rows.into_iter()
        .map(|row| {
            let numbers: Vec<i64> = row[1..].iter().map(|n| n.parse().unwrap()).collect();
            (row[0].clone(), numbers.try_into().unwrap())
        })
        .collect()
}

fn of<'a>(rows: &'a [(String, [i64; 5])], name: &str) -> &'a [i64; 5] {
    &rows
        .iter()
        .find(|(found, _)| found == name)
        .unwrap_or_else(|| panic!("no row {name} in {rows:?}"))
        .1
}

async fn last_document(client: &Connection) -> ResultDocument {
    let text = sql::value(
        client,
        "SELECT result FROM tpcc.tpcc_results ORDER BY run_id DESC LIMIT 1",
    )
    .await;
    ResultDocument::parse(&text).unwrap_or_else(|error| panic!("{error}\nin: {text}"))
}

#[tokio::test]
async fn the_accounting_agrees_with_the_database() {
    let database = loaded(2).await;
    let client = database.connect().await;
    let rows = run(&client, "'4s', workers => 4, seed => 7").await;
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "new_order",
            "payment",
            "order_status",
            "delivery",
            "stock_level",
            "total"
        ]
    );
    let did = done(&client).await;
    let [new_orders, rolled_back, failed, skipped, _] = *of(&rows, "new_order");
    assert_eq!(new_orders, did.new_orders, "only committed orders count");
    assert_eq!(of(&rows, "payment")[0], did.payments);
    assert_eq!((failed, skipped), (0, 0));
    let [total, all_rolled_back, all_failed, ..] = *of(&rows, "total");
    assert_eq!(
        (all_rolled_back, all_failed),
        (rolled_back, 0),
        "only new-order rolls back"
    );
    assert_eq!(
        total,
        rows[..5].iter().map(|(_, counts)| counts[0]).sum::<i64>()
    );
    // The standard's 1% of the new orders, to five standard deviations.
    let started = (new_orders + rolled_back) as f64;
    assert!(
        started > 500.0,
        "too few transactions to say anything: {rows:?}"
    );
    assert!(
        (rolled_back as f64 - started * 0.01).abs() < 5.0 * (started * 0.01).sqrt(),
        "{rolled_back} of {started} rolled back"
    );

    let document = last_document(&client).await;
    assert_eq!(document.accounting.counters.committed as i64, total);
    assert_eq!(document.accounting.counters.rolled_back as i64, rolled_back);
    assert!(document.accounting.balanced);
    assert_eq!(
        did.delivered + document.accounting.delivery_skipped_districts as i64,
        10 * of(&rows, "delivery")[0]
    );
    assert_eq!(
        document
            .series
            .iter()
            .flat_map(|point| point.committed.values())
            .sum::<u64>() as i64,
        total
    );
    let per_minute = new_orders as f64 / document.elapsed_s * 60.0;
    assert!(
        (document.headline().0 / per_minute - 1.0).abs() < 0.001,
        "{per_minute} {}",
        document.headline().0
    );
    assert!(
        (4.0..6.0).contains(&document.elapsed_s),
        "{}",
        document.elapsed_s
    );
    discard(database).await;
}

#[tokio::test]
async fn the_result_document_holds_configuration_server_and_figures() {
    let database = loaded(1).await;
    let client = database.connect().await;
    sql::run(&client, "SET work_mem = '5MB'").await;
    let query = "SELECT transaction, per_minute, share, mean_ms, p50_ms, p90_ms, p95_ms, p99_ms, p999_ms, max_ms FROM tpcc_run('2s', workers => 2, seed => 11)";
    let rows = sql::table(&client, query).await;
    let document = last_document(&client).await;
    assert_eq!(
        (
            document.config.workers,
            document.config.tpcc.as_ref().unwrap().warehouses,
            document.config.seed
        ),
        (2, 1, 11)
    );
    assert_eq!(
        (
            document.config.schema.as_str(),
            document.config.isolation.as_str()
        ),
        ("tpcc", "read committed")
    );
    assert_eq!(
        (document.config.load_seed, document.partial),
        (Some(1), false)
    );
    let c_load = sql::number(&client, "SELECT c_last_load FROM tpcc.tpcc_scale").await;
    assert_eq!(
        i64::from(document.config.tpcc.as_ref().unwrap().c_last_load),
        c_load
    );
    let delta = (i64::from(document.config.tpcc.as_ref().unwrap().constants.c_last) - c_load).abs();
    assert!(
        (65..=119).contains(&delta) && delta != 96 && delta != 112,
        "C-run and C-load differ by {delta}"
    );
    assert_eq!(
        document.server.version,
        sql::value(&client, "SELECT version()").await
    );
    assert!(
        document
            .server
            .settings
            .iter()
            .any(|setting| setting.name == "work_mem" && setting.value == "5MB")
    );
    assert_eq!(document.server.tables.len(), 9);
    assert!(
        document
            .server
            .tables
            .iter()
            .all(|table| table.table_bytes > 0)
    );

    for row in &rows {
        let figures: Vec<f64> = row[1..].iter().map(|n| n.parse().unwrap()).collect();
        assert!(figures[0] > 0.0 && figures[1] > 0.0, "{row:?}");
        assert!(
            figures[2] > 0.0 && figures[3..].is_sorted(),
            "percentiles grow: {row:?}"
        );
    }
    let share: f64 = rows[..5]
        .iter()
        .map(|row| row[2].parse::<f64>().unwrap())
        .sum();
    assert!((share - 100.0).abs() < 0.1, "{share}");
    let kept = "SELECT run_by, schema, workers, partial, ended_at > started_at, round(new_orders_per_minute) > 0 FROM tpcc_runs";
    assert_eq!(
        sql::table(&client, kept).await,
        [["postgres", "tpcc", "2", "f", "t", "t"]]
    );
    discard(database).await;
}

/// The committed transactions of a document's mix in per cent.
fn share(rows: &[(String, [i64; 5])], name: &str) -> f64 {
    let ended = |name: &str| (of(rows, name)[0] + of(rows, name)[1]) as f64;
    100.0 * ended(name) / ended("total")
}

#[tokio::test]
async fn the_mix_is_the_standards_or_the_one_asked_for() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let rows = run(&client, "'3s', workers => 2").await;
    for (name, percent) in [
        ("new_order", 45.0),
        ("payment", 43.0),
        ("order_status", 4.0),
        ("delivery", 4.0),
        ("stock_level", 4.0),
    ] {
        // Each terminal draws from a deck: whole decks are exact, and the last one is cut anywhere.
        assert!(
            (share(&rows, name) - percent).abs() < 3.0,
            "{name} has {}%: {rows:?}",
            share(&rows, name)
        );
    }
    let rows = run(
        &client,
        "'1s', workers => 2, mix => 'payment=3,stock_level=1'",
    )
    .await;
    assert!((share(&rows, "payment") - 75.0).abs() < 5.0, "{rows:?}");
    assert_eq!(
        (
            of(&rows, "new_order")[0],
            of(&rows, "delivery")[0],
            of(&rows, "order_status")[0]
        ),
        (0, 0, 0)
    );
    discard(database).await;
}

#[tokio::test]
async fn the_ramp_up_is_left_out_of_the_figures() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let rows = run(&client, "'1s', workers => 2, ramp_up => '2s'").await;
    let did = done(&client).await;
    let counted = of(&rows, "new_order")[0];
    assert!(
        counted > 0 && counted < did.new_orders,
        "{counted} counted of {}",
        did.new_orders
    );
    let document = last_document(&client).await;
    assert!(
        (0.9..1.9).contains(&document.elapsed_s),
        "{}",
        document.elapsed_s
    );
    discard(database).await;
}

#[tokio::test]
async fn an_open_loop_keeps_its_rate() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let rows = run(&client, "'4s', workers => 2, rate => 50").await;
    let [committed, rolled_back, failed, skipped, _] = *of(&rows, "total");
    let due = committed + rolled_back + failed + skipped;
    // 200 are due on average; arrivals may be random, with a standard deviation of 14.
    assert!((130..=270).contains(&due), "{rows:?}");
    assert_eq!(failed, 0);
    discard(database).await;
}

#[tokio::test]
async fn in_an_open_loop_latency_counts_from_the_intended_start() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let locker = database.connect().await;
    let witness = database.connect().await;
    let (rows, ()) = tokio::join!(
        run(
            &client,
            "'3s', workers => 1, rate => 60, mix => 'payment=1'"
        ),
        async {
            sql::until(&witness, "SELECT count(*) > 30010 FROM tpcc.history").await;
            // The only terminal waits for a second; what falls due in the meantime waits behind it.
            sql::run(&locker, "BEGIN; UPDATE tpcc.warehouse SET w_ytd = w_ytd").await;
            sql::until(&witness, "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type LIKE 'pg\\_tpcc%' AND datname = current_database() AND wait_event_type = 'Lock'").await;
            sql::until(&witness, "SELECT clock_timestamp() > xact_start + interval '1.2 s' FROM pg_stat_activity WHERE query LIKE 'BEGIN; UPDATE%' AND datname = current_database()").await;
            sql::run(&locker, "ROLLBACK").await;
        }
    );
    let document = last_document(&client).await;
    let ended = of(&rows, "total")[0];
    assert!(ended > 90, "{rows:?}");
    let (response, service) = (&document.total.response, &document.total.service);
    assert!(
        response.max_us >= 900_000 && service.max_us >= 900_000,
        "{response:?} {service:?}"
    );
    // About a third of the transactions fell due during that second. Counted from the start of their execution, one was slow.
    assert!(
        response.p90_us >= 200_000,
        "queueing is left out: {response:?}"
    );
    assert!(
        service.p90_us < response.p90_us / 2,
        "{service:?} {response:?}"
    );
    discard(database).await;
}

#[tokio::test]
async fn the_same_seed_gives_the_same_transactions() {
    // One terminal, so that the order of its transactions alone decides; the first hundred orders are compared.
    let fingerprint = "SELECT md5(string_agg(format('%s %s %s %s %s', o_d_id, o_id, o_c_id, o_ol_cnt, lines), ',' ORDER BY o_d_id, o_id)) FROM (
        SELECT o_d_id, o_id, o_c_id, o_ol_cnt, (SELECT string_agg(format('%s/%s/%s', ol_i_id, ol_supply_w_id, ol_quantity), ' ' ORDER BY ol_number)
            FROM tpcc.order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id) AS lines
        FROM tpcc.orders WHERE o_id BETWEEN 3001 AND 3005) AS of_orders";
    let mut seen = Vec::new();
    for seed in [5, 5, 6] {
        let database = loaded(1).await;
        let client = database.connect().await;
        let witness = database.connect().await;
        let statement = format!("'10min', workers => 1, seed => {seed}, mix => 'new_order=1'");
        let (_, ()) = tokio::join!(run(&client, &statement), async {
            sql::until(
                &witness,
                "SELECT min(d_next_o_id) > 3006 FROM tpcc.district",
            )
            .await;
            sql::run(&witness, "SELECT tpcc_stop()").await;
        });
        seen.push(sql::value(&client, fingerprint).await);
        discard(database).await;
    }
    assert_eq!(seen[0], seen[1], "the same seed");
    assert_ne!(seen[0], seen[2], "another seed");
}

#[tokio::test]
async fn progress_is_told_while_it_runs() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let witness = database.connect().await;
    let (_, ()) = tokio::join!(
        run(&client, "'10min', workers => 2, report_interval => '200ms'"),
        async {
            tests::eventually(
                "three lines of progress",
                Duration::from_secs(30),
                async || {
                    client
                        .notices()
                        .iter()
                        .filter(|line| {
                            line.contains("transactions/s")
                                && line.contains("new orders/min")
                                && line.contains("p95")
                        })
                        .count()
                        >= 3
                },
            )
            .await;
            let live = "SELECT schema, workers, committed > 0, failed FROM tpcc_progress()";
            assert_eq!(sql::table(&witness, live).await, [["tpcc", "2", "t", "0"]]);
            sql::run(&witness, "SELECT tpcc_stop()").await;
        }
    );
    assert_eq!(
        sql::value(&witness, "SELECT count(*) FROM tpcc_progress()").await,
        "0"
    );
    discard(database).await;
}

#[tokio::test]
async fn errors_are_counted_by_sqlstate_with_their_first_message() {
    let database = loaded(1).await;
    let client = database.connect().await;
    sql::run(
        &client,
        "ALTER TABLE tpcc.history ADD CONSTRAINT small CHECK (h_amount < 2500) NOT VALID",
    )
    .await;
    let rows = run(&client, "'2s', workers => 2, seed => 3").await;
    let [committed, _, failed, ..] = *of(&rows, "payment");
    assert!(committed > 0 && failed > 0, "{rows:?}");
    let document = last_document(&client).await;
    assert_eq!(document.errors.len(), 1, "{:?}", document.errors);
    assert_eq!(document.errors[0].sqlstate, "23514");
    assert_eq!(document.errors[0].count as i64, failed);
    assert!(
        document.errors[0].first_message.contains("small"),
        "{:?}",
        document.errors
    );
    assert!(document.accounting.balanced);
    // A payment that failed left nothing behind.
    assert_eq!(done(&client).await.payments, committed);
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc_check() WHERE holds").await,
        "12"
    );
    discard(database).await;
}

#[tokio::test]
async fn keying_and_thinking_pace_the_terminals() {
    let database = loaded(1).await;
    let client = database.connect().await;
    let rows = run(&client, "'2s', workers => 2, keying_thinking => true").await;
    // Keying alone takes 2 s at least: two terminals can hardly have ended anything.
    assert!(of(&rows, "total")[0] <= 4, "{rows:?}");
    discard(database).await;
}

#[tokio::test]
async fn a_terminal_keeps_its_home_warehouse_unless_told_otherwise() {
    let database = loaded(2).await;
    let client = database.connect().await;
    let homes = "SELECT count(*) FROM tpcc.warehouse WHERE EXISTS (SELECT FROM tpcc.orders WHERE o_w_id = w_id AND o_id > 3000)";
    run(&client, "'1s', workers => 1").await;
    assert_eq!(sql::value(&client, homes).await, "1");
    run(&client, "'1s', workers => 1, home_warehouse => 'uniform'").await;
    assert_eq!(sql::value(&client, homes).await, "2");
    discard(database).await;
}

#[tokio::test]
async fn two_runs_at_once_are_counted_apart() {
    let database = loaded(1).await;
    let (one, other) = (database.connect().await, database.connect().await);
    let witness = database.connect().await;
    let (first, second, ()) = tokio::join!(
        run(&one, "'10min', workers => 1"),
        run(&other, "'10min', workers => 1"),
        async {
            sql::until(
                &witness,
                "SELECT count(*) = 2 AND min(committed) > 0 FROM tpcc_progress()",
            )
            .await;
            assert_eq!(sql::value(&witness, "SELECT tpcc_stop()").await, "2");
        }
    );
    let did = done(&witness).await;
    assert_eq!(
        of(&first, "new_order")[0] + of(&second, "new_order")[0],
        did.new_orders
    );
    assert_eq!(
        of(&first, "payment")[0] + of(&second, "payment")[0],
        did.payments
    );
    assert_eq!(
        sql::value(&witness, "SELECT count(*) FROM tpcc_runs WHERE partial").await,
        "2"
    );
    discard(database).await;
}
