//! Server mode of the other workloads without the extension: as TPC-C's, with the values of their calls.

use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error};
use workload::Kind;
use workload::retry::MAX_TRIES;
use workload::script::{Script, Transaction, Value};

use super::terminal_call::{BatchOutcome, outcome};
use crate::flavour::{terminal_name, width};
use crate::schema::quote_identifier;

/// Calls a script's procedure in a schema; [`crate::flavour::terminal_routine`] is its text.
#[derive(Debug, Clone)]
pub struct ScriptCall {
    script: Arc<dyn Script>,
    sql: String,
    width: usize,
}

impl ScriptCall {
    /// Calls of the procedure in this schema, not quoted.
    pub fn new(script: Arc<dyn Script>, schema: &str) -> ScriptCall {
        let width = width(&*script);
        // The kinds, the values, when each is due, how long, how many tries; then what comes back.
        let given = (1..=width + 4).map(|n| format!("${n}"));
        let back = (0..10).map(|_| "NULL".to_owned());
        let sql = format!(
            "CALL {}.{}({})",
            quote_identifier(schema),
            terminal_name(script.workload()),
            given.chain(back).collect::<Vec<_>>().join(", ")
        );
        ScriptCall { script, sql, width }
    }

    /// Runs transactions, each with when it is due in microseconds after the start of the call, where that is known
    /// of all of them; none is begun later than `time` after the start.
    ///
    /// # Errors
    /// As of [`super::TerminalCall::call`].
    pub async fn call(
        &self,
        client: &Client,
        transactions: &[(&Transaction, Option<u64>)],
        time: Duration,
    ) -> Result<BatchOutcome, Error> {
        let kinds: Vec<Kind> = transactions.iter().map(|(one, _)| one.kind).collect();
        let numbers: Vec<i32> = kinds.iter().map(|kind| kind.index() as i32 + 1).collect();
        let mut columns = vec![Vec::with_capacity(transactions.len()); self.width];
        for (transaction, _) in transactions {
            let mut values = self.script.call(transaction).into_iter();
            for column in &mut columns {
                column.push(values.next().map(|value| text(&value)));
            }
        }
        let due = transactions.iter().map(|(_, due)| *due);
        let due: Option<Vec<i64>> = due
            .map(|due| due.map(|us| us.min(i64::MAX as u64) as i64))
            .collect();
        let for_us = i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
        let max_tries = MAX_TRIES as i32;
        let mut values: Vec<(&(dyn ToSql + Sync), Type)> = vec![(&numbers, Type::INT4_ARRAY)];
        for column in &columns {
            values.push((column, Type::TEXT_ARRAY));
        }
        values.push((&due, Type::INT8_ARRAY));
        values.push((&for_us, Type::INT8));
        values.push((&max_tries, Type::INT4));
        let rows = client.query_typed(&self.sql, &values).await?;
        match rows.first() {
            Some(row) => outcome(row, &kinds, due.as_deref().unwrap_or_default()),
            None => Ok(BatchOutcome::default()),
        }
    }
}

/// A value as the text of its type.
fn text(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Ints(numbers) => {
            let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
            format!("{{{}}}", numbers.join(","))
        }
    }
}
