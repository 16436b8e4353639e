//! The same inputs give the same outputs and leave the same rows, whatever the flavour.

use tests::flavour::install;
use tests::small::TABLES;
use tests::{Connection, discard, loaded, sql};
use tokio_postgres::SimpleQueryMessage;
use workload::result::Flavour;
use workload::tpcc::{
    CustomerSelector, HomeWarehouse, Input, Mix, NurandConstants, Terminal, TerminalConfig,
};

const INPUTS: usize = 2_000;
/// Columns that tell of the time.
const TIMES: [&str; 4] = ["server_us", "o_entry_d", "h_date", "ol_delivery_ds"];

/// What a call answered, and what all of them left.
struct Run {
    answers: Vec<String>,
    digests: Vec<String>,
}

#[tokio::test]
async fn two_thousand_inputs_give_the_same_outputs_and_rows() {
    let inputs = inputs();
    let rolled_back =
        |input: &&Input| matches!(input, Input::NewOrder(order) if order.is_to_be_rolled_back());
    assert!(inputs.iter().filter(rolled_back).count() > 0);
    assert!(inputs.iter().filter(|input| repeats(input)).count() > 0);
    let native = run(Flavour::Native, &inputs).await;
    let plpgsql = run(Flavour::Plpgsql, &inputs).await;
    for (input, (expected, found)) in inputs
        .iter()
        .zip(native.answers.iter().zip(&plpgsql.answers))
    {
        assert_eq!(found, expected, "{input:?}");
    }
    assert_eq!(plpgsql.digests, native.digests);
}

async fn run(flavour: Flavour, inputs: &[Input]) -> Run {
    let database = loaded(2).await;
    let client = database.connect().await;
    install(flavour, &database, &client, "tpcc").await;
    let client = database.connect().await;
    let mut answers = Vec::with_capacity(inputs.len());
    for input in inputs {
        answers.push(answer(&client, &call(input)).await);
    }
    let digests = digests(&client).await;
    drop(client);
    discard(database).await;
    Run { answers, digests }
}

/// What a terminal that is at home in both warehouses keys in.
pub fn inputs() -> Vec<Input> {
    let mut terminal = Terminal::new(&TerminalConfig {
        seed: 7,
        terminal: 0,
        terminals: 1,
        warehouses: 2,
        constants: NurandConstants::run(7, 123),
        mix: Mix::STANDARD,
        home: HomeWarehouse::Uniform,
    });
    (0..INPUTS).map(|_| terminal.next_input()).collect()
}

fn repeats(input: &Input) -> bool {
    let Input::NewOrder(order) = input else {
        return false;
    };
    let mut items: Vec<i32> = order.lines.iter().map(|line| line.i_id).collect();
    items.sort_unstable();
    items.windows(2).any(|pair| pair[0] == pair[1])
}

/// The call of a function; every third order asks for its rollback as a row.
pub fn call(input: &Input) -> String {
    let customer = |customer: &CustomerSelector| match customer {
        CustomerSelector::ById(c_id) => format!("{c_id}, NULL"),
        CustomerSelector::ByLastName(name) => format!("NULL, {}", sql::literal(name.as_str())),
    };
    let call = match input {
        Input::NewOrder(order) => {
            let (mut items, mut supply, mut quantities) = (Vec::new(), Vec::new(), Vec::new());
            for line in &order.lines {
                items.push(line.i_id);
                supply.push(line.supply_w_id);
                quantities.push(line.quantity);
            }
            format!(
                "tpcc_new_order({}, {}, {}, ARRAY{items:?}, ARRAY{supply:?}, ARRAY{quantities:?}, report_rollback => {})",
                order.w_id,
                order.d_id,
                order.c_id,
                order.c_id % 3 == 0
            )
        }
        Input::Payment(payment) => format!(
            "tpcc_payment({}, {}, {}, {}, {}, {}.{:02})",
            payment.w_id,
            payment.d_id,
            payment.c_w_id,
            payment.c_d_id,
            customer(&payment.customer),
            payment.amount.0 / 100,
            payment.amount.0 % 100
        ),
        Input::OrderStatus(status) => format!(
            "tpcc_order_status({}, {}, {})",
            status.w_id,
            status.d_id,
            customer(&status.customer)
        ),
        Input::Delivery(delivery) => {
            format!("tpcc_delivery({}, {})", delivery.w_id, delivery.carrier_id)
        }
        Input::StockLevel(level) => format!(
            "tpcc_stock_level({}, {}, {})",
            level.w_id, level.d_id, level.threshold
        ),
    };
    format!("SELECT * FROM {call}")
}

/// The columns and values of the row, or what the server said; a time only as whether there is one.
async fn answer(client: &Connection, call: &str) -> String {
    match client.simple_query(call).await {
        Ok(messages) => {
            let mut text = String::new();
            for message in &messages {
                let SimpleQueryMessage::Row(row) = message else {
                    continue;
                };
                for (i, column) in row.columns().iter().enumerate() {
                    let value = match row.get(i) {
                        Some(_) if TIMES.contains(&column.name()) => "a time",
                        Some(value) => value,
                        None => "NULL",
                    };
                    text += &format!("{} = {value}\n", column.name());
                }
            }
            text
        }
        Err(error) => sql::describe(&error),
    }
}

/// Rows and the sum of their hashes, a table each; a time only as whether there is one.
pub async fn digests(client: &Connection) -> Vec<String> {
    let mut digests = Vec::new();
    for (table, _) in TABLES {
        let columns = format!(
            "SELECT string_agg(CASE atttypid WHEN 'timestamptz'::regtype THEN attname || ' IS NULL' ELSE attname END,
                               ', ' ORDER BY attname)
             FROM pg_attribute WHERE attrelid = 'tpcc.{table}'::regclass AND attnum > 0"
        );
        let columns = sql::value(client, &columns).await;
        let digest = format!(
            "SELECT '{table}: ' || count(*) || ' rows, ' || sum(hashtextextended(ROW({columns})::text, 0)) FROM tpcc.{table}"
        );
        digests.push(sql::value(client, &digest).await);
    }
    digests
}
