//! What fails leaves nothing behind: no row, no open transaction, and a connection that goes on.

use tests::small::{self, assert_difference, state};
use tests::{Cluster, Connection, Database, sql};
use tpcc::cluster::SUPERUSER;
use tpcc::connect::Connector;
use tpcc::driver::mode::{Executor, Outcome, Protocol, Setup};
use tpcc::wire::Wire;
use workload::result::Mode;
use workload::tpcc::{
    Cents, CustomerSelector, Input, OrderStatusInput, PaymentInput, StockLevelInput,
};

use crate::bench::{Bench, MODES, PROTOCOLS, delivery, named, order, payment, setup};

/// A name that must be quoted, and escaped where it is text.
const SCHEMA: &str = r#"o'clock "$1" \ {schema}"#;

async fn small_schema() -> (Database<'static>, Connection) {
    let database = Cluster::shared().fresh_database().await;
    let client = database.connect().await;
    small::create(&client, SCHEMA).await;
    (database, client)
}

fn strange(protocol: Protocol) -> Setup {
    Setup {
        schema: SCHEMA.to_owned(),
        ..setup(protocol)
    }
}

/// Executes an input that is not to be committed, and asserts that nothing is left of it.
async fn leaves_nothing(
    client: &Connection,
    bench: &mut Bench,
    input: &Input,
) -> Result<Outcome, String> {
    let before = state(client, SCHEMA).await;
    let cost = bench.execute(input).await;
    assert_difference(&before, &state(client, SCHEMA).await, &[]);
    let pid = bench.pid().await;
    let idle = format!("SELECT state = 'idle' FROM pg_stat_activity WHERE pid = {pid}");
    sql::until(client, &idle).await;
    cost.outcome
        .map_err(|error| format!("{} {}", error.sqlstate().unwrap_or("?"), error.message()))
}

#[tokio::test]
async fn an_order_with_an_unused_item_leaves_nothing() {
    let (database, client) = small_schema().await;
    for mode in MODES {
        for protocol in PROTOCOLS {
            let mut bench = Bench::open(&database, mode, &strange(protocol)).await;
            let input = order(1, &[1, 2, 2, 3, 100_001]);
            let outcome = leaves_nothing(&client, &mut bench, &input).await;
            assert_eq!(outcome, Ok(Outcome::RolledBack), "{mode:?} {protocol:?}");
        }
    }
}

/// What misses a row, what the message names, and the SQL that makes it miss.
fn missing() -> Vec<(Input, &'static str, &'static str)> {
    let by_id = |c_id| CustomerSelector::ById(c_id);
    let order_status = |customer| {
        Input::OrderStatus(OrderStatusInput {
            w_id: 1,
            d_id: 1,
            customer,
        })
    };
    let stock_level = |w_id| {
        Input::StockLevel(StockLevelInput {
            w_id,
            d_id: 1,
            threshold: 15,
        })
    };
    vec![
        (order(9, &[1, 2, 3, 4, 5]), "customer 9", ""),
        (payment(1, by_id(9)), "customer 9", ""),
        (payment(1, named("NOBODY")), "NOBODY", ""),
        (order_status(by_id(9)), "customer 9", ""),
        (order_status(named("NOBODY")), "NOBODY", ""),
        (stock_level(9), "warehouse 9", ""),
        (delivery(9), "warehouse 9", ""),
        (
            payment(1, by_id(5)),
            "district 1",
            "DELETE FROM {schema}.district WHERE d_w_id = 1 AND d_id = 1",
        ),
        (order(1, &[1, 2, 3, 4, 5]), "district 1", ""),
        (
            order(1, &[1, 2, 3, 4, 6]),
            "warehouse 1",
            "DELETE FROM {schema}.stock WHERE s_w_id = 1 AND s_i_id = 6",
        ),
        (
            delivery(1),
            "order",
            "DELETE FROM {schema}.orders WHERE o_w_id = 1 AND o_d_id = 7 AND o_id = 2",
        ),
        (
            delivery(2),
            "customer",
            "DELETE FROM {schema}.customer WHERE c_w_id = 2 AND c_d_id = 7 AND c_id = 2",
        ),
        (
            payment(2, by_id(5)),
            "warehouse 1",
            "DELETE FROM {schema}.warehouse WHERE w_id = 1",
        ),
    ]
}

/// One that misses nothing even then.
fn payment_elsewhere() -> Input {
    Input::Payment(PaymentInput {
        w_id: 2,
        d_id: 2,
        c_w_id: 1,
        c_d_id: 3,
        customer: named("OUGHTOUGHTOUGHT"),
        amount: Cents(100),
    })
}

#[tokio::test]
async fn a_missing_row_is_an_error_that_names_it_and_leaves_nothing() {
    for mode in MODES {
        for protocol in PROTOCOLS {
            let (database, client) = small_schema().await;
            let mut bench = Bench::open(&database, mode, &strange(protocol)).await;
            for (input, named, sql) in missing() {
                let what = format!("{mode:?} {protocol:?} {input:?}");
                sql::run(&client, &sql.replace("{schema}", &sql::ident(SCHEMA))).await;
                if mode == Mode::Udf && named == "customer" {
                    // The functions do not look whether a delivered order's customer is there.
                    continue;
                }
                let error = leaves_nothing(&client, &mut bench, &input)
                    .await
                    .expect_err(&what);
                assert!(error.contains(named), "{what}: {error}");
                assert!(
                    error.starts_with("TC002") || error.starts_with("XX001"),
                    "{what}: {error}"
                );
            }
            let next = bench.execute(&payment_elsewhere()).await;
            assert!(next.outcome.is_ok(), "{mode:?} {protocol:?}: {next:?}");
        }
    }
}

#[tokio::test]
async fn an_error_of_a_write_that_was_sent_with_commit_is_no_commit() {
    for mode in MODES {
        for protocol in PROTOCOLS {
            let (database, client) = small_schema().await;
            let schema = sql::ident(SCHEMA);
            for (table, input) in [
                ("history", payment(1, CustomerSelector::ById(1))),
                ("order_line", order(1, &[1, 2, 3, 4, 5])),
            ] {
                sql::run(
                    &client,
                    &format!(
                        "ALTER TABLE {schema}.{table} ADD CONSTRAINT never CHECK (false) NOT VALID"
                    ),
                )
                .await;
                let mut bench = Bench::open(&database, mode, &strange(protocol)).await;
                let error = leaves_nothing(&client, &mut bench, &input)
                    .await
                    .unwrap_err();
                assert!(error.starts_with("23514"), "{mode:?} {protocol:?}: {error}");
                sql::run(
                    &client,
                    &format!("ALTER TABLE {schema}.{table} DROP CONSTRAINT never"),
                )
                .await;
                let cost = bench.execute(&input).await;
                assert!(cost.outcome.is_ok(), "{mode:?} {protocol:?}: {cost:?}");
            }
        }
    }
}

/// A constraint that is checked at COMMIT alone: the answer to COMMIT is the error.
#[tokio::test]
async fn an_error_of_commit_itself_is_no_commit() {
    for mode in MODES {
        let (database, client) = small_schema().await;
        let schema = sql::ident(SCHEMA);
        sql::run(
            &client,
            &format!(
                "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
                     'BEGIN RAISE ''not today'' USING ERRCODE = ''40001''; END';
                 CREATE CONSTRAINT TRIGGER no AFTER INSERT ON {schema}.history DEFERRABLE INITIALLY DEFERRED
                     FOR EACH ROW EXECUTE FUNCTION no()"
            ),
        )
        .await;
        let mut bench = Bench::open(&database, mode, &strange(Protocol::Prepared)).await;
        let input = payment(1, CustomerSelector::ById(1));
        let outcome = leaves_nothing(&client, &mut bench, &input).await;
        assert_eq!(outcome, Err("40001 not today".to_owned()), "{mode:?}");
    }
}

#[tokio::test]
async fn a_lost_connection_is_told_at_once() {
    let (database, client) = small_schema().await;
    for mode in MODES {
        let mut bench = Bench::open(&database, mode, &strange(Protocol::Prepared)).await;
        let pid = bench.pid().await;
        sql::run(
            &client,
            &format!("SELECT pg_terminate_backend({pid}, 10000)"),
        )
        .await;
        let before = state(&client, SCHEMA).await;
        let cost = bench.execute(&payment(1, CustomerSelector::ById(1))).await;
        let error = cost.outcome.unwrap_err();
        assert!(
            error.is_connection_lost() || error.sqlstate() == Some("57P01"),
            "{mode:?}: {error:?}"
        );
        assert!(bench.link.is_lost(), "{mode:?}");
        assert_difference(&before, &state(&client, SCHEMA).await, &[]);
    }
}

#[tokio::test]
async fn without_the_extension_its_functions_are_not_called() {
    let database = Cluster::shared().fresh_empty_database().await;
    let config = database.cluster().config(database.name(), SUPERUSER);
    let mut link = Connector::from(config).open(Wire::default()).await.unwrap();
    let setup = setup(Protocol::Prepared);
    let executor = link.drive(async |client| Executor::new(Mode::Udf, &setup, client).await);
    let error = executor.await.err().expect("an error");
    assert!(
        error.message().contains("CREATE EXTENSION pg_tpcc"),
        "{error}"
    );
}

#[tokio::test]
async fn text_is_escaped_whether_strings_conform_or_not() {
    let (database, _client) = small_schema().await;
    for mode in MODES {
        for conforming in ["on", "off"] {
            let mut bench = Bench::open(&database, mode, &strange(Protocol::Simple)).await;
            let set = format!("SET standard_conforming_strings = {conforming}");
            let set = bench
                .link
                .drive(async |client| client.batch_execute(&set).await);
            set.await.unwrap();
            let cost = bench.execute(&payment(1, named("ABLEABLEABLE"))).await;
            assert!(cost.outcome.is_ok(), "{mode:?} {conforming}: {cost:?}");
            assert!(
                bench.link.take_notices().is_empty(),
                "{mode:?} {conforming}"
            );
        }
    }
}
