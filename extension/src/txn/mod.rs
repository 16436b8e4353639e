//! The five transactions of TPC-C (clauses 2.4 to 2.8) over kept plans, one file each.
//!
//! Each runs inside the caller's transaction and reads its own input; what becomes of the
//! transaction is the caller's business. Locks are taken in one order everywhere, so that the
//! transactions do not deadlock among each other: stock by (warehouse, item), then district;
//! customer, then district, then warehouse; oldest orders by district, then customers.

mod delivery;
mod new_order;
mod order_status;
mod payment;
mod stock_level;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use pgrx::pg_sys;
use workload::tpcc::Input;

use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi::{self, Access, Plan, Row, Spi};

pub use new_order::{NewOrderOutput, OnUnusedItem};

/// The kept plans of one schema.
pub struct Plans {
    schema: String,
    quoted: String,
    new_order: new_order::Plans,
    payment: payment::Plans,
    order_status: order_status::Plans,
    delivery: delivery::Plans,
    stock_level: stock_level::Plans,
}

/// Schemas whose plans a backend keeps; one more makes it forget them all.
const MAX_SCHEMAS: usize = 128;

thread_local! {
    static PLANS: RefCell<HashMap<String, Rc<Plans>>> = RefCell::new(HashMap::new());
}

/// What became of a transaction that [`Session::execute`] ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// To be committed; districts without an order to deliver are counted (clause 2.7.4.2).
    Done {
        /// Districts that a Delivery skipped.
        skipped_districts: u32,
    },
    /// A New-Order with an unused item: to be rolled back, and no error (clause 2.4.1.4).
    RolledBack,
}

/// The transactions of one schema, ready to execute.
pub struct Session {
    plans: Rc<Plans>,
}

impl Session {
    /// Prepares the statements for `schema`, once a backend.
    ///
    /// Errors: 3F000 where there is no such schema, TC003 where it holds no tables of TPC-C.
    pub fn open(schema: &str) -> Result<Self> {
        let known = PLANS.with_borrow(|plans| plans.get(schema).cloned());
        if let Some(plans) = known {
            return Ok(Self { plans });
        }
        let plans = Rc::new(spi::connect(|spi| Plans::prepare(spi, schema))?);
        PLANS.with_borrow_mut(|kept| {
            if kept.len() >= MAX_SCHEMAS {
                for plans in kept.drain().filter_map(|(_, plans)| Rc::into_inner(plans)) {
                    plans.free();
                }
            }
            kept.insert(schema.to_owned(), plans.clone());
        });
        Ok(Self { plans })
    }

    /// Runs one transaction's work and throws its output away.
    pub fn execute(&self, input: &Input) -> Result<Outcome> {
        let done = |skipped_districts| Outcome::Done { skipped_districts };
        Ok(match input {
            Input::NewOrder(input) => {
                match self
                    .new_order(input, OnUnusedItem::LeaveToCaller)?
                    .rolled_back
                {
                    true => Outcome::RolledBack,
                    false => done(0),
                }
            }
            Input::Payment(input) => self.payment(input).map(|_| done(0))?,
            Input::OrderStatus(input) => self.order_status(input).map(|_| done(0))?,
            Input::Delivery(input) => done(self.delivery(input)?.skipped()),
            Input::StockLevel(input) => self.stock_level(input).map(|_| done(0))?,
        })
    }
}

impl Plans {
    fn prepare(spi: &Spi, schema: &str) -> Result<Self> {
        let quoted = spi::quote_identifier(schema)?;
        require_tables(spi, schema)?;
        let preparer = Preparer {
            spi,
            schema: &quoted,
        };
        Ok(Self {
            new_order: new_order::Plans::prepare(&preparer)?,
            payment: payment::Plans::prepare(&preparer)?,
            order_status: order_status::Plans::prepare(&preparer)?,
            delivery: delivery::Plans::prepare(&preparer)?,
            stock_level: stock_level::Plans::prepare(&preparer)?,
            schema: schema.to_owned(),
            quoted,
        })
    }

    fn free(self) {
        self.new_order.free();
        self.payment.free();
        self.order_status.free();
        self.delivery.free();
        self.stock_level.free();
    }
}

/// Fails with what to do where the schema or its tables are missing.
pub(crate) fn require_tables(spi: &Spi, schema: &str) -> Result<()> {
    const SQL: &str = "SELECT n.oid IS NOT NULL, pg_catalog.count(c.oid)
        FROM (VALUES ($1)) AS asked (name)
        LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = asked.name
        LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = ANY ($2)
        GROUP BY n.oid";
    let tables = crate::pg::datum::text_array(
        workload::tpcc::Table::ALL
            .iter()
            .map(|table| table.name().as_bytes()),
    );
    let name = crate::pg::datum::varlena(schema.as_bytes());
    let arguments = [
        (pg_sys::TEXTOID, Some(name)),
        (pg_sys::TEXTARRAYOID, Some(tables)),
    ];
    let mut found = (false, 0);
    spi.query(SQL, &arguments, Access::ReadOnly, |row| {
        found = (row.bool(0), row.int8(1));
        Ok(())
    })?;
    let hint = load_hint(schema, 1);
    match found {
        (false, _) => Err(ServerError::new(
            SqlState::UNDEFINED_SCHEMA,
            format!("schema \"{schema}\" does not exist"),
        )
        .hint(hint)),
        (true, n) if n < workload::tpcc::Table::ALL.len() as i64 => Err(ServerError::new(
            SqlState::NOT_LOADED,
            format!("schema \"{schema}\" holds {n} of the 9 tables of TPC-C"),
        )
        .hint(hint)),
        _ => Ok(()),
    }
}

/// The command that loads `schema`.
pub(crate) fn load_hint(schema: &str, warehouses: i32) -> String {
    format!(
        "SELECT * FROM tpcc_load(warehouses => {warehouses}, schema => '{}');",
        schema.replace('\'', "''")
    )
}

/// Prepares statements for one schema.
struct Preparer<'a> {
    spi: &'a Spi,
    schema: &'a str,
}

impl Preparer<'_> {
    fn prepare(&self, sql: &str, types: &[pg_sys::Oid], access: Access) -> Result<Plan> {
        self.spi
            .prepare(&sql.replace("{schema}", self.schema), types, access)
    }
}

/// The warehouses that the schema holds: the lowest and the highest, 0 and 0 where it holds none.
fn warehouses(spi: &Spi, plans: &Plans) -> Result<(i32, i32)> {
    let mut found = (0, 0);
    let sql = format!(
        "SELECT coalesce(min(w_id), 0), coalesce(max(w_id), 0) FROM {}.warehouse",
        plans.quoted
    );
    spi.query(&sql, &[], Access::ReadOnly, |row| {
        found = (row.int4(0), row.int4(1));
        Ok(())
    })?;
    Ok(found)
}

/// Fails where the schema holds no warehouse of that number.
fn require_warehouse(spi: &Spi, plans: &Plans, w_id: i32) -> Result<()> {
    let (first, last) = warehouses(spi, plans)?;
    if last > 0 && (first..=last).contains(&w_id) {
        return Ok(());
    }
    let schema = &plans.schema;
    Err(ServerError::new(
        SqlState::NO_SUCH_ROW,
        format!(
            "warehouse {w_id} does not exist: schema \"{schema}\" holds warehouses {first} to {last}"
        ),
    )
    .hint(load_hint(schema, w_id.max(1))))
}

/// The error for a key that no row has: the warehouse's, where it is the warehouse that is missing.
fn no_such_row(spi: &Spi, plans: &Plans, what: &str, w_id: i32) -> ServerError {
    require_warehouse(spi, plans, w_id)
        .err()
        .unwrap_or_else(|| {
            let schema = &plans.schema;
            ServerError::new(
                SqlState::NO_SUCH_ROW,
                format!("{what} does not exist in schema \"{schema}\""),
            )
        })
}

/// Position `ceil(n / 2)`, counted from one, of `n` customers sorted by first name (clause 2.5.2.2).
fn middle(n: usize) -> usize {
    n.div_ceil(2) - 1
}

/// A text column of the terminal's output: `char(n)` without its padding.
fn trimmed(row: &Row, column: usize) -> String {
    let mut text = row.text(column);
    text.truncate(text.trim_end_matches(' ').len());
    text
}
