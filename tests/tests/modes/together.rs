//! Two connections at once on one warehouse: rows are locked in one order by all modes, so that none deadlocks with
//! itself, with another or with the functions.

use tests::{discard, loaded, sql};
use tpcc::driver::mode::Protocol;
use workload::result::Mode;

use crate::bench::{Bench, inputs, setup};

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
