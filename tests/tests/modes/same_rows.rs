//! The same inputs leave the same rows in all nine tables, whatever the mode and the protocol.

use std::collections::HashSet;

use tests::small::TABLES;
use tests::{Connection, discard, loaded, sql};
use tokio::sync::OnceCell;
use tpcc::driver::mode::{Outcome, Protocol, Setup};
use tpcc::flavour;
use workload::result::{Flavour, Mode};
use workload::tpcc::{CustomerSelector, Input, NewOrderInput, TransactionType};

use crate::bench::{Bench, Cost, PROTOCOLS, inputs, setup};

/// What 300 inputs left, and what each of them came to.
struct Run {
    digests: Vec<(&'static str, String)>,
    outcomes: Vec<Outcome>,
}

async fn run(mode: Mode, setup: &Setup) -> Run {
    let database = loaded(2).await;
    if setup.flavour == Flavour::Plpgsql {
        let client = database.connect().await;
        flavour::ensure(&client, &setup.schema).await.unwrap();
    }
    let protocol = setup.protocol;
    let mut bench = Bench::open(&database, mode, setup).await;
    let mut outcomes = Vec::new();
    for input in inputs(2, 0, 300) {
        let cost = bench.execute(&input).await;
        let what = format!("{mode:?} {protocol:?} {input:?}: {cost:?}");
        assert_round_trips(mode, &input, &cost, &what);
        assert_server_time(&cost, &what);
        outcomes.push(
            cost.outcome
                .unwrap_or_else(|error| panic!("{error}: {input:?}")),
        );
    }
    bench.link.close().await;
    let client = database.connect().await;
    let broken = "SELECT count(*) FROM tpcc_check('tpcc') WHERE NOT holds AND condition <> 11";
    assert_eq!(sql::value(&client, broken).await, "0");
    let digests = digests(&client).await;
    drop(client);
    discard(database).await;
    Run { digests, outcomes }
}

/// What the mode is said to take.
fn assert_round_trips(mode: Mode, input: &Input, cost: &Cost, what: &str) {
    let claimed = match mode {
        Mode::Udf => 1,
        Mode::Statements => of_statements(input, cost),
        Mode::Pipelined => of_flights(input),
        Mode::Server => unreachable!("{what}"),
    };
    assert_eq!(cost.round_trips, claimed, "{what}");
}

/// A round trip a statement; nothing is known of an unused item but that it is unused, and nothing is done in a
/// district where nothing waits.
fn of_statements(input: &Input, cost: &Cost) -> u64 {
    match input {
        Input::NewOrder(order) => {
            7 + 4 * order.lines.len() as u64 - 3 * u64::from(order.is_to_be_rolled_back())
        }
        Input::Payment(payment) => 9 + by_name(&payment.customer),
        Input::OrderStatus(_) => 5,
        Input::Delivery(_) => match cost.outcome {
            Ok(Outcome::Committed { skipped_districts }) => {
                2 + 10 * 7 - 6 * u64::from(skipped_districts)
            }
            _ => unreachable!("{cost:?}"),
        },
        Input::StockLevel(_) => 4,
    }
}

/// What is read, then what is written with it in hand; a customer's name is one answer more to wait for. A Delivery
/// takes the orders, then what they say, then their customers, and commits.
fn of_flights(input: &Input) -> u64 {
    match input {
        Input::NewOrder(_) | Input::StockLevel(_) => 2,
        Input::Payment(payment) => 2 + by_name(&payment.customer),
        Input::OrderStatus(status) => 2 + by_name(&status.customer),
        Input::Delivery(_) => 4,
    }
}

fn by_name(selector: &CustomerSelector) -> u64 {
    u64::from(selector.c_last().is_some())
}

/// The server's own time is some, and lies within the client's.
fn assert_server_time(cost: &Cost, what: &str) {
    let unknown = matches!(cost.outcome, Ok(Outcome::RolledBack));
    assert!(cost.seen.server_us > 0 || unknown, "{what}");
    assert!(
        u128::from(cost.seen.server_us) <= cost.latency.as_micros(),
        "{what}"
    );
}

/// A digest of each table: the sum of its rows' hashes, a time only as whether there is one.
async fn digests(client: &Connection) -> Vec<(&'static str, String)> {
    let mut digests = Vec::new();
    for (table, _) in TABLES {
        let columns = format!(
            "SELECT string_agg(CASE atttypid WHEN 'timestamptz'::regtype THEN attname || ' IS NULL' ELSE attname END,
                               ', ' ORDER BY attname)
             FROM pg_attribute WHERE attrelid = 'tpcc.{table}'::regclass AND attnum > 0"
        );
        let columns = sql::value(client, &columns).await;
        let digest = format!(
            "SELECT count(*) || ' rows ' || sum(hashtextextended(ROW({columns})::text, 0)) FROM tpcc.{table}"
        );
        digests.push((table, sql::value(client, &digest).await));
    }
    digests
}

/// What the native functions leave, called as an application does: what the others are measured by.
async fn reference() -> &'static Run {
    static REFERENCE: OnceCell<Run> = OnceCell::const_new();
    REFERENCE
        .get_or_init(async || run(Mode::Udf, &setup(Protocol::Prepared)).await)
        .await
}

async fn assert_same(mode: Mode, setup: &Setup) {
    let reference = reference().await;
    let found = run(mode, setup).await;
    assert_eq!(found.outcomes, reference.outcomes, "{mode:?} {setup:?}");
    for (expected, found) in reference.digests.iter().zip(&found.digests) {
        assert_eq!(found, expected, "{mode:?} {setup:?}");
    }
}

#[test]
fn the_inputs_hold_each_type_and_what_is_rare() {
    let inputs = inputs(2, 0, 300);
    for kind in TransactionType::ALL {
        assert!(
            inputs
                .iter()
                .filter(|input| input.transaction_type() == kind)
                .count()
                >= 20,
            "{kind}"
        );
    }
    let orders: Vec<_> = inputs
        .iter()
        .filter_map(|input| match input {
            Input::NewOrder(order) => Some(order),
            _ => None,
        })
        .collect();
    assert!(orders.iter().any(|order| order.is_to_be_rolled_back()));
    assert!(orders.iter().any(|order| !order.is_all_local()));
    let repeats = |order: &NewOrderInput| {
        let keys = order.lines.iter().map(|line| (line.supply_w_id, line.i_id));
        keys.collect::<HashSet<_>>().len() < order.lines.len()
    };
    assert!(orders.iter().any(|order| repeats(order)));
}

#[tokio::test]
async fn calls_of_the_functions_leave_the_same_rows_in_each_protocol() {
    for protocol in PROTOCOLS {
        assert_same(Mode::Udf, &setup(protocol)).await;
    }
}

#[tokio::test]
async fn calls_of_the_plpgsql_functions_leave_the_same_rows_in_each_protocol() {
    for protocol in PROTOCOLS {
        let setup = Setup {
            flavour: Flavour::Plpgsql,
            ..setup(protocol)
        };
        assert_same(Mode::Udf, &setup).await;
    }
}

#[tokio::test]
async fn statement_by_statement_leaves_the_same_rows_in_each_protocol() {
    for protocol in PROTOCOLS {
        assert_same(Mode::Statements, &setup(protocol)).await;
    }
}

#[tokio::test]
async fn statements_sent_together_leave_the_same_rows_in_each_protocol() {
    for protocol in PROTOCOLS {
        assert_same(Mode::Pipelined, &setup(protocol)).await;
    }
}
