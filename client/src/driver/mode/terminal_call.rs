//! Server mode without the extension: a batch of a terminal's transactions in one call, committed one by one
//! inside the server.

use std::time::Duration;

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row};
use workload::retry::MAX_TRIES;
use workload::stats::ErrorTally;
use workload::tpcc::{self, CustomerSelector, Input, NewOrderInput};
use workload::{Kind, MAX_KINDS};

use crate::schema::quote_identifier;

/// The types of the parameters of the call.
const TYPES: [Type; 14] = [
    Type::INT4_ARRAY,
    Type::INT4_ARRAY,
    Type::INT4_ARRAY,
    Type::INT4_ARRAY,
    Type::TEXT_ARRAY,
    Type::INT4_ARRAY,
    Type::INT4_ARRAY,
    Type::INT4_ARRAY,
    Type::TEXT_ARRAY,
    Type::TEXT_ARRAY,
    Type::TEXT_ARRAY,
    Type::INT8_ARRAY,
    Type::INT8,
    Type::INT4,
];

/// What the first call of a connection is given.
const FIRST_BATCH: usize = 32;
/// The largest batch, whatever the speed.
const LARGEST_BATCH: usize = 5_000;

/// Transactions to run in one call, field by field as the procedure takes them.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    kinds: Vec<i32>,
    w_ids: Vec<i32>,
    d_ids: Vec<i32>,
    c_ids: Vec<Option<i32>>,
    c_lasts: Vec<Option<String>>,
    c_w_ids: Vec<Option<i32>>,
    c_d_ids: Vec<Option<i32>>,
    cents: Vec<Option<i32>>,
    item_ids: Vec<Option<String>>,
    supply_w_ids: Vec<Option<String>>,
    quantities: Vec<Option<String>>,
    due_us: Vec<i64>,
}

/// What became of one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Done, and lasting.
    Committed,
    /// A New-Order with an unused item, undone as it should be (clause 2.4.1.4).
    RolledBack,
    /// An error, after whatever retries; it is told in [`BatchOutcome::errors`].
    Failed,
}

/// One transaction of a batch; times in microseconds after the start of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// Its type.
    pub transaction: Kind,
    /// What became of it.
    pub ending: Ending,
    /// When it was due, where the batch says so; else when it was begun.
    pub due_us: u64,
    /// When it was begun.
    pub begun_us: u64,
    /// When it was over, with all tries and the commit.
    pub ended_us: u64,
}

/// What became of a batch.
#[derive(Debug, Clone, Default)]
pub struct BatchOutcome {
    /// The transactions that were begun, in the order of the batch; the others were not begun in time.
    pub done: Vec<Done>,
    /// Tries that met 40001 and were followed by another, by type.
    pub retries_serialization: [u64; MAX_KINDS],
    /// Tries that met 40P01 and were followed by another, by type.
    pub retries_deadlock: [u64; MAX_KINDS],
    /// Districts in which a Delivery found nothing to deliver (clause 2.7.4.2).
    pub skipped_districts: u64,
    /// The failed transactions by SQLSTATE.
    pub errors: ErrorTally,
}

/// Calls the procedure of a schema on a connection.
#[derive(Debug, Clone)]
pub struct TerminalCall {
    sql: String,
}

impl Batch {
    /// A batch of these transactions, each due when the one before is done.
    pub fn closed<'a>(inputs: impl IntoIterator<Item = &'a Input>) -> Batch {
        let mut batch = Batch::default();
        for input in inputs {
            batch.push(input);
        }
        batch
    }

    /// How many transactions it has.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Adds a transaction that is due so many microseconds after the start of the call. In a batch all
    /// or none have such a time.
    pub fn push_due(&mut self, input: &Input, due_us: u64) {
        self.push(input);
        self.due_us.push(due_us.min(i64::MAX as u64) as i64);
    }

    /// Adds a transaction that is due when the one before is done.
    pub fn push(&mut self, input: &Input) {
        self.kinds.push(input.transaction_type().index() as i32 + 1);
        self.w_ids.push(input.w_id());
        let (d_id, c_id, c_last) = match input {
            Input::NewOrder(order) => (order.d_id, Some(order.c_id), None),
            Input::Payment(payment) => named(payment.d_id, &payment.customer),
            Input::OrderStatus(status) => named(status.d_id, &status.customer),
            Input::Delivery(delivery) => (delivery.carrier_id, None, None),
            Input::StockLevel(level) => (level.d_id, Some(level.threshold), None),
        };
        self.d_ids.push(d_id);
        self.c_ids.push(c_id);
        self.c_lasts.push(c_last);
        let payment = match input {
            Input::Payment(payment) => Some(payment),
            _ => None,
        };
        self.c_w_ids.push(payment.map(|payment| payment.c_w_id));
        self.c_d_ids.push(payment.map(|payment| payment.c_d_id));
        self.cents
            .push(payment.map(|payment| payment.amount.0 as i32));
        let order = match input {
            Input::NewOrder(order) => Some(order),
            _ => None,
        };
        let list = |of: fn(&NewOrderInput) -> String| order.map(of);
        self.item_ids
            .push(list(|order| elements(order.lines.iter().map(|l| l.i_id))));
        self.supply_w_ids.push(list(|order| {
            elements(order.lines.iter().map(|l| l.supply_w_id))
        }));
        self.quantities.push(list(|order| {
            elements(order.lines.iter().map(|l| l.quantity))
        }));
    }

    /// How many transactions the next batch should have to take about a second, after this one used
    /// so many in so long; the first one of a connection is [`Batch::FIRST`].
    pub fn next_size(used: usize, took: Duration) -> usize {
        if used == 0 || took.is_zero() {
            return FIRST_BATCH;
        }
        let per_second = used as f64 / took.as_secs_f64();
        // No more than four times as many at once: the first transactions of a connection are slow.
        (per_second as usize).clamp(1, LARGEST_BATCH.min(used * 4))
    }

    /// How many transactions the first batch of a connection should have.
    pub const FIRST: usize = FIRST_BATCH;
}

fn named(d_id: i32, customer: &CustomerSelector) -> (i32, Option<i32>, Option<String>) {
    (d_id, customer.c_id(), customer.c_last().map(str::to_owned))
}

/// The elements as the text of an int4[].
fn elements(values: impl Iterator<Item = i32>) -> String {
    let mut text = String::from("{");
    for value in values {
        if text.len() > 1 {
            text.push(',');
        }
        text += &value.to_string();
    }
    text + "}"
}

impl TerminalCall {
    /// Calls of the procedure in this schema, not quoted; [`crate::flavour::ensure`] installs it.
    pub fn new(schema: &str) -> TerminalCall {
        let sql = include_str!("../../../../sql/plpgsql/call/run_terminal.sql");
        TerminalCall {
            sql: sql.replace("{schema}", &quote_identifier(schema)),
        }
    }

    /// Runs the transactions of a batch, none of them begun later than `time` after the start. The
    /// connection must be outside of a transaction, and leaves no prepared statement behind.
    ///
    /// # Errors
    /// What the server says: a wrong call, a cancel, a commit that failed (which PL/pgSQL cannot
    /// catch). What was committed before stays and is not told.
    pub async fn call(
        &self,
        client: &Client,
        batch: &Batch,
        time: Duration,
    ) -> Result<BatchOutcome, Error> {
        let for_us = i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
        let due_us = (!batch.due_us.is_empty()).then_some(&batch.due_us);
        let max_tries = MAX_TRIES as i32;
        let values: [&(dyn ToSql + Sync); 14] = [
            &batch.kinds,
            &batch.w_ids,
            &batch.d_ids,
            &batch.c_ids,
            &batch.c_lasts,
            &batch.c_w_ids,
            &batch.c_d_ids,
            &batch.cents,
            &batch.item_ids,
            &batch.supply_w_ids,
            &batch.quantities,
            &due_us,
            &for_us,
            &max_tries,
        ];
        let parameters: Vec<_> = values.into_iter().zip(TYPES).collect();
        let rows = client.query_typed(&self.sql, &parameters).await?;
        let kind = |kind: &i32| tpcc::WORKLOAD.kind(*kind as usize - 1);
        let kinds: Vec<Kind> = batch.kinds.iter().map(kind).collect();
        match rows.first() {
            Some(row) => outcome(row, &kinds, &batch.due_us),
            None => Ok(BatchOutcome::default()),
        }
    }
}

/// What came of a batch of transactions of these types.
pub(super) fn outcome(row: &Row, kinds: &[Kind], due_us: &[i64]) -> Result<BatchOutcome, Error> {
    let used: i32 = row.try_get(0)?;
    let outcomes: Vec<i32> = row.try_get(1)?;
    let begun_us: Vec<i64> = row.try_get(2)?;
    let ended_us: Vec<i64> = row.try_get(3)?;
    let skipped: i32 = row.try_get(6)?;
    let states: Vec<String> = row.try_get(7)?;
    let counts: Vec<i32> = row.try_get(8)?;
    let messages: Vec<String> = row.try_get(9)?;
    let times = outcomes.iter().zip(begun_us.iter().zip(&ended_us));
    let done = times
        .enumerate()
        .take(used.max(0) as usize)
        .filter_map(|(i, (ending, (begun, ended)))| {
            let begun_us = begun.unsigned_abs();
            Some(Done {
                transaction: *kinds.get(i)?,
                ending: match ending {
                    0 => Ending::Committed,
                    1 => Ending::RolledBack,
                    _ => Ending::Failed,
                },
                due_us: due_us.get(i).map_or(begun_us, |due| due.unsigned_abs()),
                begun_us,
                ended_us: ended.unsigned_abs(),
            })
        })
        .collect();
    let mut errors = ErrorTally::new();
    for ((state, count), message) in states.iter().zip(counts).zip(&messages) {
        errors.add(state, u64::from(count.unsigned_abs()), message);
    }
    Ok(BatchOutcome {
        done,
        retries_serialization: by_type(row.try_get(4)?),
        retries_deadlock: by_type(row.try_get(5)?),
        skipped_districts: u64::from(skipped.unsigned_abs()),
        errors,
    })
}

fn by_type(counts: Vec<i32>) -> [u64; MAX_KINDS] {
    let mut by_type = [0; MAX_KINDS];
    for (slot, count) in by_type.iter_mut().zip(counts) {
        *slot = u64::from(count.unsigned_abs());
    }
    by_type
}
