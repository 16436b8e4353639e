//! One call a transaction: what the article on cloud databases recommends.

use std::borrow::Cow;

use tokio_postgres::types::Type;
use tokio_postgres::{Client, SimpleQueryMessage};
use workload::result::Flavour;
use workload::tpcc::{
    CustomerSelector, DeliveryInput, Input, NewOrderInput, OrderStatusInput, PaymentInput,
    StockLevelInput, TransactionType,
};

use super::reply::Reply;
use super::statement::{Definition, Statement};
use super::value::Value;
use super::{Outcome, Seen, Setup, TransactionError, isolation};
use crate::schema::quote_identifier;

/// The calls, in the order of the transaction types.
const CALLS: [Definition; TransactionType::COUNT] = [
    Definition {
        sql: include_str!("../../../../sql/application/functions/new_order.sql"),
        types: Cow::Borrowed(&[
            Type::INT4,
            Type::INT4,
            Type::INT4,
            Type::INT4_ARRAY,
            Type::INT4_ARRAY,
            Type::INT4_ARRAY,
            Type::TEXT,
        ]),
    },
    Definition {
        sql: include_str!("../../../../sql/application/functions/payment.sql"),
        types: Cow::Borrowed(&[
            Type::INT4,
            Type::INT4,
            Type::INT4,
            Type::INT4,
            Type::INT4,
            Type::TEXT,
            Type::NUMERIC,
            Type::TEXT,
        ]),
    },
    Definition {
        sql: include_str!("../../../../sql/application/functions/order_status.sql"),
        types: Cow::Borrowed(&[Type::INT4, Type::INT4, Type::INT4, Type::TEXT, Type::TEXT]),
    },
    Definition {
        sql: include_str!("../../../../sql/application/functions/delivery.sql"),
        types: Cow::Borrowed(&[Type::INT4, Type::INT4, Type::TEXT]),
    },
    Definition {
        sql: include_str!("../../../../sql/application/functions/stock_level.sql"),
        types: Cow::Borrowed(&[Type::INT4, Type::INT4, Type::INT4, Type::TEXT]),
    },
];

/// How a function says that an order had an unused item (clause 2.4.1.4).
const UNUSED_ITEM: &str = "TC001";
/// Where Delivery says how many districts it skipped; `server_us` is the last column of all.
const SKIPPED: usize = 1;

/// The five functions.
pub struct Udf {
    schema: String,
    calls: Vec<Statement>,
    lines: Lines,
}

/// The lines of an order as the arrays that the function takes; kept, so that no order allocates them.
#[derive(Default)]
struct Lines {
    items: Vec<i32>,
    supply_warehouses: Vec<i32>,
    quantities: Vec<i32>,
}

impl Udf {
    pub(super) async fn new(setup: &Setup, client: &Client) -> Result<Udf, TransactionError> {
        isolation::set(client, &setup.isolation).await?;
        let functions = match setup.flavour {
            Flavour::Native => extension_schema(client).await?,
            Flavour::Plpgsql => quote_identifier(&setup.schema),
        };
        let placeholders = [("{functions}", functions.as_str())];
        let calls = Statement::all(client, setup.protocol, CALLS.iter(), &placeholders).await?;
        Ok(Udf {
            schema: setup.schema.clone(),
            calls,
            lines: Lines::default(),
        })
    }

    pub(super) async fn execute(
        &mut self,
        client: &Client,
        input: &Input,
        seen: &mut Seen,
    ) -> Result<Outcome, TransactionError> {
        match input.transaction_type() {
            TransactionType::OrderStatus | TransactionType::StockLevel => seen.reads += 1,
            _ => seen.writes += 1,
        }
        let answer = match self.call(client, input).await {
            Ok(reply) => reply,
            Err(error) if error.sqlstate() == Some(UNUSED_ITEM) => return Ok(Outcome::RolledBack),
            Err(error) => return Err(error),
        };
        let row = answer.must(|| format!("the answer of tpcc_{}", input.transaction_type()))?;
        seen.server_us += row.called_us()?;
        Ok(Outcome::Committed {
            skipped_districts: match input {
                Input::Delivery(_) => row.int4(SKIPPED)?.unsigned_abs(),
                _ => 0,
            },
        })
    }

    async fn call(&mut self, client: &Client, input: &Input) -> Result<Reply, TransactionError> {
        let schema = Value::Text(&self.schema);
        let call = &self.calls[input.transaction_type().index()];
        match input {
            Input::NewOrder(input) => {
                self.lines.fill(input);
                let Lines {
                    items,
                    supply_warehouses,
                    quantities,
                } = &self.lines;
                let values = [
                    Value::Int(input.w_id),
                    Value::Int(input.d_id),
                    Value::Int(input.c_id),
                    Value::Ints(items),
                    Value::Ints(supply_warehouses),
                    Value::Ints(quantities),
                    schema,
                ];
                call.query(client, &values).await
            }
            Input::Payment(input) => call.query(client, &payment(input, schema)).await,
            Input::OrderStatus(input) => call.query(client, &order_status(input, schema)).await,
            Input::Delivery(DeliveryInput { w_id, carrier_id }) => {
                let values = [Value::Int(*w_id), Value::Int(*carrier_id), schema];
                call.query(client, &values).await
            }
            Input::StockLevel(StockLevelInput {
                w_id,
                d_id,
                threshold,
            }) => {
                let values = [
                    Value::Int(*w_id),
                    Value::Int(*d_id),
                    Value::Int(*threshold),
                    schema,
                ];
                call.query(client, &values).await
            }
        }
    }
}

impl Lines {
    fn fill(&mut self, input: &NewOrderInput) {
        self.items.clear();
        self.supply_warehouses.clear();
        self.quantities.clear();
        for line in &input.lines {
            self.items.push(line.i_id);
            self.supply_warehouses.push(line.supply_w_id);
            self.quantities.push(line.quantity);
        }
    }
}

fn payment<'a>(input: &'a PaymentInput, schema: Value<'a>) -> [Value<'a>; 8] {
    let [c_id, c_last] = customer(&input.customer);
    [
        Value::Int(input.w_id),
        Value::Int(input.d_id),
        Value::Int(input.c_w_id),
        Value::Int(input.c_d_id),
        c_id,
        c_last,
        Value::Amount(input.amount),
        schema,
    ]
}

fn order_status<'a>(input: &'a OrderStatusInput, schema: Value<'a>) -> [Value<'a>; 5] {
    let [c_id, c_last] = customer(&input.customer);
    [
        Value::Int(input.w_id),
        Value::Int(input.d_id),
        c_id,
        c_last,
        schema,
    ]
}

/// The number and the last name: one of them, and NULL.
fn customer(selector: &CustomerSelector) -> [Value<'_>; 2] {
    match selector {
        CustomerSelector::ById(c_id) => [Value::Int(*c_id), Value::Null],
        CustomerSelector::ByLastName(name) => [Value::Null, Value::Text(name.as_str())],
    }
}

/// The schema of the extension's functions, quoted.
pub(super) async fn extension_schema(client: &Client) -> Result<String, TransactionError> {
    let sql = include_str!("../../../../sql/application/functions/extension_schema.sql");
    let messages = client.simple_query(sql).await?;
    messages
        .iter()
        .find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        })
        .ok_or(TransactionError::NoExtension)
}
