//! What a mode counts and sends for a given input, on the small schema: reads, writes and others as sysbench counts
//! them, and the round trips that they take.

use tests::{Cluster, small, sql};
use tpcc::cluster::SUPERUSER;
use tpcc::connect::Connector;
use tpcc::driver::mode::{Executor, Outcome, Setup};
use tpcc::wire::Wire;
use workload::result::Mode;
use workload::tpcc::{CustomerSelector, Input, OrderStatusInput, StockLevelInput};

use crate::bench::{Bench, MODES, PROTOCOLS, delivery, named, order, payment, setup};

const COMMITTED: Outcome = Outcome::Committed {
    skipped_districts: 0,
};

fn order_status(customer: CustomerSelector) -> Input {
    Input::OrderStatus(OrderStatusInput {
        w_id: 1,
        d_id: 1,
        customer,
    })
}

/// An input, what is to become of it, and reads, writes, others and round trips in each of [`MODES`].
type Case = (Input, Outcome, [[u64; 4]; 3]);

/// In this order on one schema.
fn cases() -> Vec<Case> {
    let skipped = |skipped_districts| Outcome::Committed { skipped_districts };
    let stock_level = Input::StockLevel(StockLevelInput {
        w_id: 1,
        d_id: 1,
        threshold: 15,
    });
    vec![
        (
            order(1, &[1, 2, 3, 2, 1]),
            COMMITTED,
            [[0, 1, 0, 1], [12, 13, 2, 27], [12, 13, 2, 2]],
        ),
        (
            // What waits for no answer asks for the stock of the unused item too.
            order(1, &[5, 4, 3, 2, 100_001]),
            Outcome::RolledBack,
            [[0, 1, 0, 1], [11, 11, 2, 24], [12, 11, 2, 2]],
        ),
        (
            payment(1, CustomerSelector::ById(1)),
            COMMITTED,
            [[0, 1, 0, 1], [3, 4, 2, 9], [3, 4, 2, 2]],
        ),
        (
            payment(1, named("ABLEABLEABLE")),
            COMMITTED,
            [[0, 1, 0, 1], [4, 4, 2, 10], [4, 4, 2, 3]],
        ),
        (
            order_status(CustomerSelector::ById(1)),
            COMMITTED,
            [[1, 0, 0, 1], [3, 0, 2, 5], [3, 0, 2, 2]],
        ),
        (
            order_status(named("BARBARBAR")),
            COMMITTED,
            [[1, 0, 0, 1], [3, 0, 2, 5], [3, 0, 2, 3]],
        ),
        (
            delivery(1),
            COMMITTED,
            [[0, 1, 0, 1], [30, 40, 2, 72], [30, 40, 2, 4]],
        ),
        (
            delivery(1),
            COMMITTED,
            [[0, 1, 0, 1], [30, 40, 2, 72], [30, 40, 2, 4]],
        ),
        (
            // Only the order of district 1 from above is left.
            delivery(1),
            skipped(9),
            [[0, 1, 0, 1], [12, 4, 2, 18], [12, 4, 2, 4]],
        ),
        (
            delivery(1),
            skipped(10),
            [[0, 1, 0, 1], [11, 0, 2, 13], [11, 0, 2, 3]],
        ),
        (
            stock_level,
            COMMITTED,
            [[1, 0, 0, 1], [2, 0, 2, 4], [2, 0, 2, 2]],
        ),
    ]
}

#[tokio::test]
async fn statements_and_round_trips_are_counted_exactly() {
    for (m, mode) in MODES.into_iter().enumerate() {
        for protocol in PROTOCOLS {
            let database = Cluster::shared().fresh_database().await;
            let client = database.connect().await;
            small::create(&client, "tpcc").await;
            let mut bench = Bench::open(&database, mode, &setup(protocol)).await;
            for (input, outcome, counts) in cases() {
                let cost = bench.execute(&input).await;
                let seen = cost.seen;
                let found = [seen.reads, seen.writes, seen.other, cost.round_trips];
                let what = format!("{mode:?} {protocol:?} {input:?}: {cost:?}");
                assert_eq!(cost.outcome.ok(), Some(outcome), "{what}");
                assert_eq!(found, counts[m], "{what}");
            }
        }
    }
}

#[tokio::test]
async fn a_connection_is_ready_in_a_few_round_trips() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create(&client, "tpcc").await;
    for mode in MODES {
        for protocol in PROTOCOLS {
            let config = database.cluster().config(database.name(), SUPERUSER);
            let mut link = Connector::from(config).open(Wire::default()).await.unwrap();
            let before = link.meter().round_trips();
            let setup = setup(protocol);
            let executor = link.drive(async |client| Executor::new(mode, &setup, client).await);
            assert!(executor.await.is_ok(), "{mode:?} {protocol:?}");
            // The isolation level, where the functions are, and all statements together.
            let round_trips = link.meter().round_trips() - before;
            assert!(round_trips <= 3, "{mode:?} {protocol:?}: {round_trips}");
        }
    }
}

#[tokio::test]
async fn transactions_have_the_isolation_level_that_was_asked_for() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create(&client, "tpcc").await;
    sql::run(
        &client,
        "CREATE TABLE levels (level text);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN INSERT INTO public.levels VALUES (current_setting(''transaction_isolation'')); RETURN NEW; END';
         CREATE TRIGGER note AFTER INSERT ON tpcc.history FOR EACH ROW EXECUTE FUNCTION note()",
    )
    .await;
    for mode in MODES {
        for isolation in ["read committed", "repeatable read", "serializable"] {
            let setup = Setup {
                isolation: isolation.to_owned(),
                ..setup(PROTOCOLS[0])
            };
            let mut bench = Bench::open(&database, mode, &setup).await;
            let cost = bench.execute(&payment(1, CustomerSelector::ById(1))).await;
            assert!(cost.outcome.is_ok(), "{mode:?} {isolation}: {cost:?}");
            let levels = "DELETE FROM levels RETURNING level";
            assert_eq!(sql::table(&client, levels).await, [[isolation]], "{mode:?}");
        }
    }
}

#[tokio::test]
async fn server_time_includes_the_wait_for_a_lock() {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create(&client, "tpcc").await;
    for mode in [Mode::Udf, Mode::Statements, Mode::Pipelined] {
        let mut bench = Bench::open(&database, mode, &setup(PROTOCOLS[2])).await;
        sql::run(
            &client,
            "BEGIN; SELECT FROM tpcc.customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1 FOR UPDATE",
        )
        .await;
        let input = payment(1, CustomerSelector::ById(1));
        let (cost, waited) = tokio::join!(bench.execute(&input), async {
            let waiting = "FROM pg_locks JOIN pg_stat_activity USING (pid)
                WHERE datname = current_database() AND waitstart IS NOT NULL";
            sql::until(&client, &format!("SELECT EXISTS (SELECT {waiting})")).await;
            let waited = "(date_part('epoch', clock_timestamp() - waitstart) * 1e6)::int8";
            let us = sql::number(&client, &format!("SELECT {waited} {waiting}")).await;
            sql::run(&client, "COMMIT").await;
            us
        });
        assert!(cost.outcome.is_ok(), "{mode:?}: {cost:?}");
        assert!(
            i128::from(cost.seen.server_us) >= i128::from(waited),
            "{mode:?}: {waited} us in {cost:?}"
        );
    }
}
