//! Workloads whose statements are known beforehand, executed by a worker over kept plans.

use std::collections::HashMap;
use std::sync::Arc;

use pgrx::pg_sys;
use workload::Workload;
use workload::result::RunConfig;
use workload::script::{Script, Step, Transaction, Type, Value};

use crate::pg::datum;
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi::{self, Access, Plan};
use crate::txn::Outcome;

/// The script of a run; none in TPC-C.
pub fn of(config: &RunConfig) -> Option<Arc<dyn Script>> {
    let make = Workload::named(&config.workload)?.script?;
    make(&config.mix, &config.parameters)
}

/// The statements of a script in one schema, planned.
pub struct ScriptSession {
    script: Arc<dyn Script>,
    schema: String,
    /// By the places of the statement and of its table.
    plans: HashMap<(usize, usize), Plan>,
}

impl ScriptSession {
    /// Prepares the statements, each for every table that it may be about.
    ///
    /// # Errors
    /// What PostgreSQL says of tables that are not there.
    pub fn open(script: Arc<dyn Script>, schema: &str) -> Result<ScriptSession> {
        let quoted = spi::quote_identifier(schema)?;
        let tables = script
            .tables()
            .iter()
            .map(|table| spi::quote_identifier(table))
            .collect::<Result<Vec<_>>>()?;
        let mut plans = HashMap::new();
        spi::connect(|spi| {
            for (index, statement) in script.statements().iter().enumerate() {
                let types: Vec<_> = statement.types.iter().map(|ty| oid(*ty)).collect();
                let sql = statement.sql.replace("{schema}", &quoted);
                let of = if sql.contains("{table}") {
                    tables.len()
                } else {
                    1
                };
                for table in 0..of {
                    let name = tables.get(table).map_or("", String::as_str);
                    // Also those that only read: in a transaction they see what it has written.
                    let plan =
                        spi.prepare(&sql.replace("{table}", name), &types, Access::ReadWrite)?;
                    plans.insert((index, table), plan);
                }
            }
            Ok(())
        })?;
        Ok(ScriptSession {
            script,
            schema: schema.to_owned(),
            plans,
        })
    }

    /// Runs one transaction's statements and throws their rows away.
    ///
    /// # Errors
    /// TC002 where a row is missing, and what PostgreSQL raises.
    pub fn execute(&self, transaction: &Transaction) -> Result<Outcome> {
        spi::connect(|spi| {
            for step in &transaction.steps {
                let statement = &self.script.statements()[step.statement];
                let plan = self.plans.get(&(step.statement, step.table));
                let plan = plan.ok_or_else(|| self.no_such(step, "statement"))?;
                let values = step.values.iter().zip(statement.types);
                let values: Vec<_> = values.map(|(value, ty)| to_datum(value, *ty)).collect();
                let rows = spi.execute(plan, &values, |_| Ok(()))?;
                if let (0, Some(what)) = (rows, statement.must) {
                    return Err(self.no_such(step, what));
                }
            }
            Ok(())
        })?;
        Ok(Outcome::Done {
            skipped_districts: 0,
        })
    }

    fn no_such(&self, step: &Step, what: &str) -> ServerError {
        let key = match step.values.first() {
            Some(Value::Int(key)) => format!(" {key}"),
            _ => String::new(),
        };
        ServerError::new(
            SqlState::NO_SUCH_ROW,
            format!("{what}{key} does not exist in schema \"{}\"", self.schema),
        )
    }
}

fn oid(ty: Type) -> pg_sys::Oid {
    match ty {
        Type::Int4 => pg_sys::INT4OID,
        Type::Int8 => pg_sys::INT8OID,
        Type::Text => pg_sys::TEXTOID,
        Type::Int4s => pg_sys::INT4ARRAYOID,
    }
}

fn to_datum(value: &Value, ty: Type) -> pg_sys::Datum {
    match (value, ty) {
        (Value::Int(number), Type::Int4) => pg_sys::Datum::from(*number as i32),
        (Value::Int(number), _) => pg_sys::Datum::from(*number),
        (Value::Text(text), _) => datum::varlena(text.as_bytes()),
        (Value::Ints(numbers), _) => datum::int4_array(numbers.iter().copied()),
    }
}
