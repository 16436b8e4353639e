//! Workloads whose statements are known beforehand ([`Script`]), in every mode that has a client.

use std::borrow::Cow;
use std::sync::Arc;

use tokio_postgres::Client;
use tokio_postgres::types::Type;
use workload::result::Mode;
use workload::script::{self, Script, Step, Transaction};

use super::flight::in_order;
use super::reply::Reply;
use super::statement::{Definition, Statement};
use super::value::Value;
use super::{Outcome, Seen, Setup, TransactionError, isolation};
use crate::schema::quote_identifier;

/// The transactions of one connection.
pub struct Scripted {
    script: Arc<dyn Script>,
    way: Way,
}

enum Way {
    /// One call a transaction, by type.
    Calls(Vec<Statement>),
    /// Statements, by their place and that of their table.
    Statements {
        begin: String,
        statements: Vec<Vec<Statement>>,
        /// Whether they are sent together.
        together: bool,
    },
}

impl Scripted {
    pub(super) async fn new(
        mode: Mode,
        script: &Arc<dyn Script>,
        setup: &Setup,
        client: &Client,
    ) -> Result<Scripted, TransactionError> {
        let way = match mode {
            Mode::Udf => calls(&**script, setup, client).await?,
            _ => statements(&**script, setup, client, mode == Mode::Pipelined).await?,
        };
        Ok(Scripted {
            script: Arc::clone(script),
            way,
        })
    }

    pub(super) async fn execute(
        &mut self,
        client: &Client,
        transaction: &Transaction,
        seen: &mut Seen,
    ) -> Result<Outcome, TransactionError> {
        match &self.way {
            Way::Calls(calls) => {
                let index = transaction.kind.index();
                let call = &self.script.calls()[index];
                count(call, seen);
                let values = self.script.call(transaction);
                let reply = calls[index].query(client, &borrowed(&values)).await?;
                let row = reply.must(|| format!("the answer of {}", transaction.kind))?;
                seen.server_us += row.called_us()?;
            }
            Way::Statements {
                begin,
                statements,
                together,
            } => {
                let mut talk = Talk {
                    script: &*self.script,
                    statements,
                    client,
                    seen,
                    open: false,
                };
                let result = match (transaction.in_block, together) {
                    (false, _) => talk.one_by_one(&transaction.steps).await,
                    (true, false) => talk.block(begin, &transaction.steps).await,
                    (true, true) => talk.flight(begin, &transaction.steps).await,
                };
                if let Err(error) = result {
                    talk.undo(&error).await;
                    return Err(error);
                }
            }
        }
        Ok(Outcome::COMMITTED)
    }
}

async fn calls(
    script: &dyn Script,
    setup: &Setup,
    client: &Client,
) -> Result<Way, TransactionError> {
    isolation::set(client, &setup.isolation).await?;
    let schema = quote_identifier(&setup.schema);
    let placeholders = [("{schema}", schema.as_str())];
    let definitions: Vec<_> = script.calls().iter().map(definition).collect();
    let calls = Statement::all(client, setup.protocol, definitions.iter(), &placeholders);
    Ok(Way::Calls(calls.await?))
}

/// Makes every statement ready that the run may send, in one round trip.
async fn statements(
    script: &dyn Script,
    setup: &Setup,
    client: &Client,
    together: bool,
) -> Result<Way, TransactionError> {
    let begin = isolation::begin(client, &setup.isolation).await?;
    let schema = quote_identifier(&setup.schema);
    let tables: Vec<String> = script
        .tables()
        .iter()
        .map(|table| quote_identifier(table))
        .collect();
    let mut wanted = Vec::new();
    for (index, statement) in script.statements().iter().enumerate() {
        let of = if statement.sql.contains("{table}") {
            tables.len()
        } else {
            1
        };
        wanted.extend((0..of).map(|table| (index, table, definition(statement))));
    }
    let (schema, tables) = (&schema, &tables);
    let made = wanted.iter().map(async |(_, table, definition)| {
        let table = tables.get(*table).map_or("", String::as_str);
        let placeholders = [("{schema}", schema.as_str()), ("{table}", table)];
        Statement::new(client, setup.protocol, definition, &placeholders).await
    });
    let mut statements: Vec<Vec<Statement>> = Vec::new();
    statements.resize_with(script.statements().len(), Vec::new);
    for ((index, _, _), statement) in wanted.iter().zip(in_order(made).await) {
        statements[*index].push(statement?);
    }
    Ok(Way::Statements {
        begin,
        statements,
        together,
    })
}

fn definition(statement: &script::Statement) -> Definition {
    let types = statement.types.iter().map(|ty| match ty {
        script::Type::Int4 => Type::INT4,
        script::Type::Int8 => Type::INT8,
        script::Type::Text => Type::TEXT,
        script::Type::Int4s => Type::INT4_ARRAY,
    });
    Definition {
        sql: statement.sql,
        types: Cow::Owned(types.collect()),
    }
}

fn borrowed(values: &[script::Value]) -> Vec<Value<'_>> {
    let borrow = |value| match value {
        &script::Value::Int(number) => Value::Big(number),
        script::Value::Text(text) => Value::Text(text),
        script::Value::Ints(numbers) => Value::Ints(numbers),
    };
    values.iter().map(borrow).collect()
}

fn count(statement: &script::Statement, seen: &mut Seen) {
    if statement.writes {
        seen.writes += 1;
    } else {
        seen.reads += 1;
    }
}

/// The exchange of one transaction.
struct Talk<'a> {
    script: &'a dyn Script,
    statements: &'a [Vec<Statement>],
    client: &'a Client,
    seen: &'a mut Seen,
    /// Whether there is a transaction that an error leaves behind.
    open: bool,
}

impl Talk<'_> {
    async fn block(&mut self, begin: &str, steps: &[Step]) -> Result<(), TransactionError> {
        self.control(begin).await?;
        self.open = true;
        self.one_by_one(steps).await?;
        self.open = false;
        self.control("COMMIT").await
    }

    async fn one_by_one(&mut self, steps: &[Step]) -> Result<(), TransactionError> {
        for step in steps {
            count(&self.script.statements()[step.statement], self.seen);
            let reply = self.send(step).await?;
            self.read(step, &reply)?;
        }
        Ok(())
    }

    /// Everything at once. After an error the server answers COMMIT with a rollback; the first error is the
    /// error.
    async fn flight(&mut self, begin: &str, steps: &[Step]) -> Result<(), TransactionError> {
        self.seen.other += 2;
        for step in steps {
            count(&self.script.statements()[step.statement], self.seen);
        }
        let talk = &*self;
        let all = std::iter::once(None)
            .chain(steps.iter().map(Some))
            .chain(std::iter::once(None))
            .enumerate();
        let answers = in_order(all.map(async |(place, step)| match step {
            Some(step) => talk.send(step).await.map(Some),
            None => {
                let control = if place == 0 { begin } else { "COMMIT" };
                talk.client.batch_execute(control).await?;
                Ok(None)
            }
        }))
        .await;
        let mut steps = steps.iter();
        let mut error = None;
        for answer in answers {
            match answer {
                Ok(Some(reply)) => {
                    if let Some(step) = steps.next() {
                        self.read(step, &reply)?;
                    }
                }
                Ok(None) => {}
                Err(failed) => error = error.or(Some(failed)),
            }
        }
        error.map_or(Ok(()), Err)
    }

    async fn send(&self, step: &Step) -> Result<Reply, TransactionError> {
        let of_all = self.statements.get(step.statement);
        let statement = of_all.and_then(|tables| tables.get(step.table));
        let statement = statement.ok_or_else(|| {
            TransactionError::Missing(format!("statement {}", step.statement + 1))
        })?;
        statement.last(self.client, &borrowed(&step.values)).await
    }

    /// Takes the server's own time from the last column of the last row, which is all that was kept.
    fn read(&mut self, step: &Step, reply: &Reply) -> Result<(), TransactionError> {
        self.seen.server_us += reply.server_us()?;
        if reply.len() == 0
            && let Some(what) = self.script.statements()[step.statement].must
        {
            let key = match step.values.first() {
                Some(script::Value::Int(key)) => format!("{what} {key}"),
                _ => what.to_owned(),
            };
            return Err(TransactionError::Missing(key));
        }
        Ok(())
    }

    async fn control(&mut self, sql: &str) -> Result<(), TransactionError> {
        self.seen.other += 1;
        Ok(self.client.batch_execute(sql).await?)
    }

    async fn undo(&mut self, error: &TransactionError) {
        if self.open && !error.is_connection_lost() {
            // Where this fails too, the connection is gone and the server has undone everything.
            let _ = self.control("ROLLBACK").await;
        }
    }
}
