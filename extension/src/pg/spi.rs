//! Kept SPI plans and a thin way to execute them.
//!
//! pgrx's own SPI client copies every value and allocates a vector per call; on the hot path
//! of a benchmark that shows. Here a statement is planned once a session and schema, its
//! arguments are datums, and its rows are read in place and freed before the next statement.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int};

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::error::{Result, ServerError, SqlState};

/// The most arguments and columns that a statement here has.
const MAX_COLUMNS: usize = 32;

/// Whether a statement may write. Read-only statements see the snapshot of the caller and
/// never assign a transaction id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `SELECT`s under the active snapshot.
    ReadOnly,
    /// Everything else; each statement sees what was committed before it (read committed).
    ReadWrite,
}

/// A prepared statement that lives as long as the backend, with a generic plan.
pub struct Plan {
    plan: pg_sys::SPIPlanPtr,
    arguments: usize,
    access: Access,
    planned: Cell<bool>,
}

/// A connection to the SPI manager; everything allocated while it is open goes when it closes.
pub struct Spi(());

/// Runs `body` connected to SPI.
///
/// An error value closes the connection; a PostgreSQL error leaves that to the abort of the
/// transaction, as in C.
pub fn connect<T>(body: impl FnOnce(&Spi) -> Result<T>) -> Result<T> {
    // SAFETY: in a transaction of this backend's only thread; closed below.
    check(unsafe { pg_sys::SPI_connect() })?;
    let result = body(&Spi(()));
    // SAFETY: opened above, and whatever `body` opened on top is closed.
    check(unsafe { pg_sys::SPI_finish() })?;
    result
}

fn check(code: c_int) -> Result<()> {
    if code >= 0 {
        return Ok(());
    }
    // SAFETY: returns a static string for every code.
    let name = unsafe { CStr::from_ptr(pg_sys::SPI_result_code_string(code)) };
    Err(ServerError::new(
        SqlState::INTERNAL,
        format!("SPI failed: {}", name.to_string_lossy()),
    ))
}

fn c_string(sql: &str) -> Result<CString> {
    CString::new(sql)
        .map_err(|_| ServerError::new(SqlState::INVALID_VALUE, "a statement holds a NUL byte"))
}

impl Spi {
    /// Prepares `sql` for the rest of the session.
    pub fn prepare(&self, sql: &str, types: &[pg_sys::Oid], access: Access) -> Result<Plan> {
        let sql = c_string(sql)?;
        let mut types = types.to_vec();
        // SAFETY: connected; the statement and the types outlive the call, and the plan is
        // moved out of the connection's memory by SPI_keepplan.
        let plan = unsafe {
            let plan = pg_sys::SPI_prepare_cursor(
                sql.as_ptr(),
                types.len() as c_int,
                types.as_mut_ptr(),
                pg_sys::CURSOR_OPT_GENERIC_PLAN as c_int,
            );
            if plan.is_null() {
                return check(pg_sys::SPI_result).and(Err(ServerError::new(
                    SqlState::INTERNAL,
                    "SPI prepared no plan and gave no reason",
                )));
            }
            check(pg_sys::SPI_keepplan(plan))?;
            plan
        };
        Ok(Plan {
            plan,
            arguments: types.len(),
            access,
            planned: Cell::new(false),
        })
    }

    /// Executes a kept plan and hands each row to `each`. Returns the number of rows.
    ///
    /// No argument is NULL: the statements of the transactions have none.
    pub fn execute(
        &self,
        plan: &Plan,
        arguments: &[pg_sys::Datum],
        each: impl FnMut(&Row) -> Result<()>,
    ) -> Result<u64> {
        assert_eq!(arguments.len(), plan.arguments, "arguments of a kept plan");
        let mut values = [pg_sys::Datum::null(); MAX_COLUMNS];
        values[..arguments.len()].copy_from_slice(arguments);
        plan.ensure_planned();
        // SAFETY: connected; the plan is kept, and there are as many values as it takes.
        check(unsafe {
            pg_sys::SPI_execute_plan(
                plan.plan,
                values.as_mut_ptr(),
                std::ptr::null(),
                plan.access == Access::ReadOnly,
                0,
            )
        })?;
        rows(each)
    }

    /// Executes `sql` once and hands each row to `each`. Returns the number of rows.
    ///
    /// `arguments` are types and values, `None` for NULL.
    pub fn query(
        &self,
        sql: &str,
        arguments: &[(pg_sys::Oid, Option<pg_sys::Datum>)],
        access: Access,
        each: impl FnMut(&Row) -> Result<()>,
    ) -> Result<u64> {
        let sql = c_string(sql)?;
        let mut types: Vec<_> = arguments.iter().map(|(oid, _)| *oid).collect();
        let mut values: Vec<_> = arguments
            .iter()
            .map(|(_, value)| value.unwrap_or(pg_sys::Datum::null()))
            .collect();
        let nulls: Vec<c_char> = arguments
            .iter()
            .map(|(_, value)| if value.is_some() { b' ' } else { b'n' } as c_char)
            .collect();
        // SAFETY: connected; the three arrays have one element an argument.
        check(unsafe {
            pg_sys::SPI_execute_with_args(
                sql.as_ptr(),
                types.len() as c_int,
                types.as_mut_ptr(),
                values.as_mut_ptr(),
                nulls.as_ptr(),
                access == Access::ReadOnly,
                0,
            )
        })?;
        rows(each)
    }

    /// Executes statements without arguments or result.
    pub fn run(&self, sql: &str) -> Result<()> {
        let sql = c_string(sql)?;
        // SAFETY: connected; the text outlives the call.
        check(unsafe { pg_sys::SPI_execute(sql.as_ptr(), false, 0) })?;
        rows(|_| Ok(())).map(|_| ())
    }
}

/// Reads the rows of the last statement and frees them.
fn rows(mut each: impl FnMut(&Row) -> Result<()>) -> Result<u64> {
    // SAFETY: SPI_execute* has just set both; the table is ours until it is freed below.
    let (processed, table) = unsafe { (pg_sys::SPI_processed, pg_sys::SPI_tuptable) };
    if table.is_null() {
        return Ok(processed);
    }
    let mut row = Row {
        values: [pg_sys::Datum::null(); MAX_COLUMNS],
        nulls: [true; MAX_COLUMNS],
        types: [pg_sys::InvalidOid; MAX_COLUMNS],
    };
    let mut result = Ok(processed);
    // SAFETY: the table holds `numvals` tuples of `tupdesc`, which has at most MAX_COLUMNS
    // columns (asserted); what is read from a row is copied before the table is freed, and
    // freeing it early returns its reference to the row type.
    unsafe {
        let tupdesc = (*table).tupdesc;
        assert!((*tupdesc).natts as usize <= MAX_COLUMNS, "too many columns");
        for column in 0..(*tupdesc).natts as usize {
            row.types[column] = pg_sys::SPI_gettypeid(tupdesc, column as c_int + 1);
        }
        for i in 0..(*table).numvals as usize {
            let tuple = *(*table).vals.add(i);
            pg_sys::heap_deform_tuple(
                tuple,
                tupdesc,
                row.values.as_mut_ptr(),
                row.nulls.as_mut_ptr(),
            );
            if let Err(error) = each(&row) {
                result = Err(error);
                break;
            }
        }
        pg_sys::SPI_freetuptable(table);
    }
    result
}

impl Plan {
    /// Plans the statement as a descent by index for every table.
    ///
    /// The statements of the transactions touch few rows by key, whatever the statistics say:
    /// a table that was empty or tiny when the plan was made must not be scanned ever after.
    fn ensure_planned(&self) {
        const SETTINGS: [(&CStr, &CStr); 7] = [
            (c"enable_seqscan", c"off"),
            (c"enable_bitmapscan", c"off"),
            (c"enable_hashjoin", c"off"),
            (c"enable_mergejoin", c"off"),
            (c"enable_material", c"off"),
            (c"enable_memoize", c"off"),
            (c"jit", c"off"),
        ];
        // SAFETY: connected; the plan is a kept, single statement. The settings live in a nest
        // level of their own that ends here, or with the transaction if planning fails; the
        // cached plan is released by the owner that acquired it.
        unsafe {
            if self.planned.get() && pg_sys::SPI_plan_is_valid(self.plan) {
                return;
            }
            let level = pg_sys::NewGUCNestLevel();
            for (name, value) in SETTINGS {
                pg_sys::set_config_option(
                    name.as_ptr(),
                    value.as_ptr(),
                    pg_sys::GucContext::PGC_USERSET,
                    pg_sys::GucSource::PGC_S_SESSION,
                    pg_sys::GucAction::GUC_ACTION_SAVE,
                    true,
                    0,
                    false,
                );
            }
            let cached = pg_sys::SPI_plan_get_cached_plan(self.plan);
            if !cached.is_null() {
                pg_sys::ReleaseCachedPlan(cached, pg_sys::CurrentResourceOwner);
            }
            pg_sys::AtEOXact_GUC(true, level);
        }
        self.planned.set(true);
    }

    /// Frees the plan.
    pub fn free(self) {
        // SAFETY: kept by prepare, and nobody else holds it.
        unsafe { pg_sys::SPI_freeplan(self.plan) };
    }
}

/// One row of a result, valid until the callback that got it returns.
///
/// A column is read as what it is and nothing else: a table whose columns were altered, or that
/// somebody else made, gives 42804 or 22004 here, never a value read as another type.
pub struct Row {
    values: [pg_sys::Datum; MAX_COLUMNS],
    nulls: [bool; MAX_COLUMNS],
    types: [pg_sys::Oid; MAX_COLUMNS],
}

impl Row {
    /// Whether the column is NULL.
    pub fn is_null(&self, column: usize) -> bool {
        self.nulls[column]
    }

    fn datum(&self, column: usize, expected: &[pg_sys::Oid]) -> pg_sys::Datum {
        const HINT: &str = "The tables are not as tpcc_load makes them.";
        let number = column + 1;
        if !expected.contains(&self.types[column]) {
            // SAFETY: format_type_be gives a palloc'd, terminated string for any oid.
            let [found, wanted] = [self.types[column], expected[0]].map(|oid| unsafe {
                CStr::from_ptr(pg_sys::format_type_be(oid)).to_string_lossy()
            });
            let message = format!(
                "column {number} of a result is of type {found}, but {wanted} was expected"
            );
            ereport!(
                ERROR,
                PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
                message,
                HINT
            );
        }
        if self.nulls[column] {
            let message = format!("column {number} of a result is NULL: a value was expected");
            ereport!(
                ERROR,
                PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
                message,
                HINT
            );
        }
        self.values[column]
    }

    /// An `int2` column.
    pub fn int2(&self, column: usize) -> i16 {
        self.datum(column, &[pg_sys::INT2OID]).value() as i16
    }

    /// An `int4` column.
    pub fn int4(&self, column: usize) -> i32 {
        self.datum(column, &[pg_sys::INT4OID]).value() as i32
    }

    /// An `int8` column.
    pub fn int8(&self, column: usize) -> i64 {
        self.datum(column, &[pg_sys::INT8OID]).value() as i64
    }

    /// A `bool` column.
    pub fn bool(&self, column: usize) -> bool {
        self.datum(column, &[pg_sys::BOOLOID]).value() != 0
    }

    /// A `timestamptz` column: microseconds since 2000-01-01 00:00 UTC.
    pub fn timestamp(&self, column: usize) -> i64 {
        self.datum(column, &[pg_sys::TIMESTAMPTZOID]).value() as i64
    }

    /// The bytes of a `text`, `varchar` or `char` column.
    pub fn bytes(&self, column: usize) -> &[u8] {
        let text = [pg_sys::TEXTOID, pg_sys::VARCHAROID, pg_sys::BPCHAROID];
        // SAFETY: the column has one of these types and is not NULL; the tuple outlives the row.
        unsafe { super::datum::varlena_bytes(self.datum(column, &text)) }
    }

    /// A `text`, `varchar` or `char` column; bytes that are no UTF-8 are replaced.
    pub fn text(&self, column: usize) -> String {
        String::from_utf8_lossy(self.bytes(column)).into_owned()
    }

    /// A `numeric` column in ten-to-the-minus-`scale`ths.
    pub fn numeric(&self, column: usize, scale: u8) -> Result<i64> {
        // SAFETY: the column is a numeric and not NULL; the tuple outlives the call.
        let body =
            unsafe { super::datum::varlena_bytes(self.datum(column, &[pg_sys::NUMERICOID])) };
        super::numeric::decode(body, scale)
    }
}

/// `name` as an SQL identifier, quoted where need be.
pub fn quote_identifier(name: &str) -> Result<String> {
    if name.is_empty() {
        return Err(ServerError::new(
            SqlState::INVALID_VALUE,
            "the schema's name is empty",
        ));
    }
    let longest = pg_sys::NAMEDATALEN as usize - 1;
    if name.len() > longest {
        return Err(ServerError::new(
            SqlState(*b"42622"),
            format!(
                "the schema's name has {} bytes: at most {longest} were expected",
                name.len()
            ),
        ));
    }
    let c_name = c_string(name)?;
    // SAFETY: returns its argument or a palloc'd copy, NUL-terminated either way.
    let quoted = unsafe { CStr::from_ptr(pg_sys::quote_identifier(c_name.as_ptr())) };
    Ok(quoted.to_string_lossy().into_owned())
}
