//! Two connections at once on one warehouse: rows are locked in one order by all modes, so that none deadlocks with
//! itself, with another or with the functions.

use tests::{Cluster, discard, loaded, small, sql};
use tpcc::driver::mode::Protocol;
use workload::result::Mode;
use workload::tpcc::{CustomerSelector, Input};

use crate::bench::{Bench, delivery, inputs, order, payment, setup};

/// Transactions of each connection.
const COUNT: usize = 500;

async fn no_deadlocks(modes: [Mode; 2]) {
    let database = loaded(2).await;
    let mut benches = Vec::new();
    for mode in modes {
        benches.push(Bench::open(&database, mode, &setup(Protocol::Prepared)).await);
    }
    let work = async |bench: &mut Bench, terminal| {
        for input in inputs(1, terminal, COUNT) {
            let cost = bench.execute(&input).await;
            assert!(cost.outcome.is_ok(), "{modes:?} {input:?}: {cost:?}");
        }
    };
    let [first, second] = benches.as_mut_slice() else {
        unreachable!("two modes");
    };
    tokio::join!(work(first, 0), work(second, 1));
    drop(benches);
    let client = database.connect().await;
    let broken = "SELECT count(*) FROM tpcc_check('tpcc') WHERE NOT holds AND condition <> 11";
    assert_eq!(sql::value(&client, broken).await, "0", "{modes:?}");
    drop(client);
    discard(database).await;
}

#[tokio::test]
async fn two_connections_of_a_mode_do_not_deadlock() {
    for mode in [Mode::Udf, Mode::Statements, Mode::Pipelined] {
        no_deadlocks([mode, mode]).await;
    }
}

#[tokio::test]
async fn connections_of_different_modes_do_not_deadlock() {
    no_deadlocks([Mode::Udf, Mode::Statements]).await;
    no_deadlocks([Mode::Udf, Mode::Pipelined]).await;
    no_deadlocks([Mode::Statements, Mode::Pipelined]).await;
}

/// Each pair of modes, also a mode with itself.
const PAIRS: [[Mode; 2]; 6] = [
    [Mode::Udf, Mode::Udf],
    [Mode::Statements, Mode::Statements],
    [Mode::Pipelined, Mode::Pipelined],
    [Mode::Udf, Mode::Statements],
    [Mode::Udf, Mode::Pipelined],
    [Mode::Statements, Mode::Pipelined],
];

/// What meets most: orders of the same fifteen items, from either end; payments and deliveries between them.
fn colliding(backwards: bool) -> Vec<Input> {
    let mut items: Vec<i32> = (1..=15).collect();
    if backwards {
        items.reverse();
    }
    let mut inputs = Vec::new();
    for _ in 0..40 {
        inputs.push(order(1, &items));
        inputs.push(payment(1, CustomerSelector::ById(1)));
        inputs.push(delivery(1));
        inputs.push(order(2, &items));
    }
    inputs
}

#[tokio::test]
async fn what_meets_in_every_row_does_not_deadlock() {
    for modes in PAIRS {
        let database = Cluster::shared().fresh_database().await;
        let client = database.connect().await;
        small::create_with_foreign_keys(&client, "tpcc").await;
        let [first, second] = modes;
        let setup = setup(Protocol::Prepared);
        let mut first = Bench::open(&database, first, &setup).await;
        let mut second = Bench::open(&database, second, &setup).await;
        let work = async |bench: &mut Bench, backwards| {
            for input in colliding(backwards) {
                let cost = bench.execute(&input).await;
                assert!(cost.outcome.is_ok(), "{modes:?} {input:?}: {cost:?}");
            }
        };
        tokio::join!(work(&mut first, false), work(&mut second, true));
        let broken = "SELECT count(*) FROM tpcc_check('tpcc') WHERE NOT holds AND condition <> 11";
        assert_eq!(sql::value(&client, broken).await, "0", "{modes:?}");
    }
}
