//! Server mode of the PL/pgSQL flavour: a batch of a terminal's transactions in one call.

use std::time::Duration;

use tests::flavour::{install, small_schema};
use tests::{Connection, Database, checks, discard, loaded, sql};
use tpcc::driver::mode::{Batch, BatchOutcome, Ending, TerminalCall};
use workload::result::Flavour;
use workload::tpcc::{
    Cents, CustomerSelector, DeliveryInput, Input, PaymentInput, StockLevelInput,
};
use workload::{Kind, TransactionType};

use crate::same::{call, digests, inputs};

/// Longer than any batch of these tests takes.
const LONG: Duration = Duration::from_secs(600);

async fn two_warehouses() -> (Database<'static>, Connection) {
    let database = loaded(2).await;
    let client = database.connect().await;
    install(Flavour::Plpgsql, &database, &client, "tpcc").await;
    (database, client)
}

fn count(outcome: &BatchOutcome, ending: Ending) -> usize {
    outcome
        .done
        .iter()
        .filter(|done| done.ending == ending)
        .count()
}

fn payment(w_id: i32, c_id: i32) -> Input {
    Input::Payment(PaymentInput {
        w_id,
        d_id: 1,
        c_w_id: w_id,
        c_d_id: 1,
        customer: CustomerSelector::ById(c_id),
        amount: Cents(100),
    })
}

async fn payments(client: &Connection) -> i64 {
    sql::number(
        client,
        "SELECT count(*) FROM tpcc.history WHERE h_amount = 1",
    )
    .await
}

#[tokio::test]
async fn a_batch_leaves_the_rows_that_single_calls_leave() {
    let inputs = &inputs()[..600];
    let (singles, client) = two_warehouses().await;
    sql::run(&client, "SET search_path = tpcc").await;
    for input in inputs {
        // An unused item's order fails here, which comes to the same.
        let _ = client.simple_query(&call(input)).await;
    }
    let expected = digests(&client).await;
    drop(client);
    discard(singles).await;

    let (batches, client) = two_warehouses().await;
    let outcome = TerminalCall::new("tpcc")
        .call(&client, &Batch::closed(inputs), LONG)
        .await
        .unwrap();
    assert_eq!(digests(&client).await, expected);
    assert_eq!(outcome.skipped_districts, 0);
    assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
    let unused = inputs
        .iter()
        .filter(|input| matches!(input, Input::NewOrder(order) if order.is_to_be_rolled_back()));
    assert_eq!(count(&outcome, Ending::RolledBack), unused.count());
    assert_eq!(count(&outcome, Ending::Failed), 0);
    // One after the other, in the order of the batch, and timed.
    let types: Vec<Kind> = outcome.done.iter().map(|done| done.transaction).collect();
    let asked: Vec<Kind> = inputs
        .iter()
        .map(|input| input.transaction_type().into())
        .collect();
    assert_eq!(types, asked);
    let mut before = 0;
    for done in &outcome.done {
        assert!(
            before <= done.begun_us && done.begun_us < done.ended_us,
            "{done:?}"
        );
        before = done.ended_us;
    }
    drop(client);
    discard(batches).await;
}

#[tokio::test]
async fn a_batch_ends_by_itself_and_tells_how_far_it_came() {
    let (_database, client) = small_schema(Flavour::Plpgsql, "tpcc").await;
    let call = TerminalCall::new("tpcc");
    let inputs: Vec<Input> = (0..5_000).map(|_| payment(1, 1)).collect();
    let batch = Batch::closed(&inputs);
    let outcome = call.call(&client, &batch, Duration::ZERO).await.unwrap();
    assert_eq!(outcome.done, []);
    assert_eq!(payments(&client).await, 0);
    let time = Duration::from_millis(50);
    let outcome = call.call(&client, &batch, time).await.unwrap();
    let done = outcome.done.len();
    assert!((1..5_000).contains(&done), "{done}");
    assert!(outcome.done.iter().all(|done| done.begun_us < 50_000));
    assert!(outcome.done[done - 1].ended_us >= 50_000, "{outcome:?}");
    assert_eq!(payments(&client).await, done as i64);
    // Nothing is left open.
    sql::run(&client, "BEGIN; COMMIT").await;
}

#[tokio::test]
async fn a_transaction_waits_until_it_is_due() {
    let (_database, client) = small_schema(Flavour::Plpgsql, "tpcc").await;
    let mut batch = Batch::default();
    for due_us in [0, 1, 30_000, 31_000, 60_000, 5_000_000] {
        batch.push_due(&payment(1, 1), due_us);
    }
    let outcome = TerminalCall::new("tpcc")
        .call(&client, &batch, Duration::from_secs(1))
        .await
        .unwrap();
    let due: Vec<u64> = outcome.done.iter().map(|done| done.due_us).collect();
    assert_eq!(
        due,
        [0, 1, 30_000, 31_000, 60_000],
        "the last is due too late"
    );
    assert!(outcome.done.iter().all(|done| done.begun_us >= done.due_us));
    assert!(outcome.done[4].ended_us < 1_000_000, "{outcome:?}");
}

#[tokio::test]
async fn failures_are_counted_by_sqlstate_and_the_batch_goes_on() {
    let (_database, client) = small_schema(Flavour::Plpgsql, "tpcc").await;
    let inputs = [
        payment(1, 1),
        payment(99, 1),
        payment(1, 2_999),
        Input::StockLevel(StockLevelInput {
            w_id: 1,
            d_id: 1,
            threshold: 99,
        }),
        Input::Delivery(DeliveryInput {
            w_id: 1,
            carrier_id: 1,
        }),
        Input::Delivery(DeliveryInput {
            w_id: 1,
            carrier_id: 1,
        }),
        Input::Delivery(DeliveryInput {
            w_id: 1,
            carrier_id: 1,
        }),
        payment(1, 1),
    ];
    let outcome = TerminalCall::new("tpcc")
        .call(&client, &Batch::closed(&inputs), LONG)
        .await
        .unwrap();
    let endings: Vec<bool> = outcome
        .done
        .iter()
        .map(|done| done.ending == Ending::Failed)
        .collect();
    assert_eq!(
        endings,
        [false, true, true, true, false, false, false, false]
    );
    assert_eq!(
        outcome.skipped_districts, 10,
        "two orders wait in a district"
    );
    let errors = outcome.errors.into_counts();
    assert_eq!(errors.len(), 2);
    assert_eq!((errors[0].sqlstate.as_str(), errors[0].count), ("TC002", 2));
    assert!(
        errors[0].first_message.contains("warehouse 99"),
        "{errors:?}"
    );
    assert_eq!((errors[1].sqlstate.as_str(), errors[1].count), ("22023", 1));
    assert_eq!(payments(&client).await, 2);
}

#[tokio::test]
async fn conflicts_are_tried_again_and_counted() {
    let (database, client) = small_schema(Flavour::Plpgsql, "tpcc").await;
    let isolation = format!(
        "ALTER DATABASE {} SET default_transaction_isolation = 'repeatable read'",
        database.name()
    );
    sql::run(&client, &isolation).await;
    let inputs: Vec<Input> = (0..300).map(|_| payment(1, 1)).collect();
    let batch = Batch::closed(&inputs);
    let call = TerminalCall::new("tpcc");
    let mut clients = Vec::new();
    for _ in 0..3 {
        clients.push(database.connect().await);
    }
    let (a, b, c) = tokio::join!(
        call.call(&clients[0], &batch, LONG),
        call.call(&clients[1], &batch, LONG),
        call.call(&clients[2], &batch, LONG),
    );
    let mut retries = 0;
    let mut committed = 0;
    for outcome in [a, b, c] {
        let outcome = outcome.unwrap();
        assert_eq!(outcome.done.len(), 300);
        retries += outcome.retries_serialization[TransactionType::Payment.index()];
        committed += count(&outcome, Ending::Committed);
        let others = outcome.errors.into_counts();
        assert!(
            others.iter().all(|error| error.sqlstate == "40001"),
            "{others:?}"
        );
    }
    assert!(retries > 0);
    assert_eq!(payments(&client).await, committed as i64);
    assert_eq!(checks::broken(&client, "tpcc").await, []);
}
