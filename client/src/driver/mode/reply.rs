//! The rows of a statement's answer, whichever way they came.

use tokio_postgres::types::Type;
use tokio_postgres::{Row, SimpleQueryRow};

use super::TransactionError;
use super::numeric::Decimal;

/// The rows of an answer.
pub(super) enum Reply {
    Binary(Vec<Row>),
    Text(Vec<SimpleQueryRow>),
}

/// One of them; columns are counted from 0.
#[derive(Clone, Copy)]
pub(super) enum Record<'a> {
    Binary(&'a Row),
    Text(&'a SimpleQueryRow),
}

impl Reply {
    pub(super) fn len(&self) -> usize {
        match self {
            Reply::Binary(rows) => rows.len(),
            Reply::Text(rows) => rows.len(),
        }
    }

    fn get(&self, row: usize) -> Option<Record<'_>> {
        match self {
            Reply::Binary(rows) => rows.get(row).map(Record::Binary),
            Reply::Text(rows) => rows.get(row).map(Record::Text),
        }
    }

    pub(super) fn first(&self) -> Option<Record<'_>> {
        self.get(0)
    }

    /// The first row, which must be there; `what` names it where it is missing.
    pub(super) fn must(
        &self,
        what: impl FnOnce() -> String,
    ) -> Result<Record<'_>, TransactionError> {
        self.first()
            .ok_or_else(|| TransactionError::Missing(what()))
    }

    /// A row of those that are there.
    pub(super) fn row(&self, row: usize) -> Result<Record<'_>, TransactionError> {
        self.get(row).ok_or_else(|| {
            TransactionError::Unreadable(format!("row {} of {} rows", row + 1, self.len()))
        })
    }

    /// The server's own time for a statement in microseconds, which each of them has in its last column, in
    /// seconds; the last row's is the latest. It begins with the message that executes the statement: in the
    /// simple protocol that is all of it, in the others parsing and planning came before.
    pub(super) fn server_us(&self) -> Result<u64, TransactionError> {
        let Some(row) = self.last() else {
            return Ok(0);
        };
        Ok((row.float(row.width() - 1)? * 1e6).round() as u64)
    }

    fn last(&self) -> Option<Record<'_>> {
        self.get(self.len().checked_sub(1)?)
    }
}

impl<'a> Record<'a> {
    /// The server's own time for a call in microseconds, which each function has in its last column.
    pub(super) fn called_us(self) -> Result<u64, TransactionError> {
        Ok(self.int(self.width() - 1)?.unsigned_abs())
    }

    /// How many columns there are.
    pub(super) fn width(self) -> usize {
        match self {
            Record::Binary(row) => row.len(),
            Record::Text(row) => row.len(),
        }
    }

    /// An int2, int4 or int8.
    pub(super) fn int(self, column: usize) -> Result<i64, TransactionError> {
        match self {
            Record::Binary(row) => Ok(match *row.columns()[column].type_() {
                Type::INT2 => row.try_get::<_, i16>(column)?.into(),
                Type::INT4 => row.try_get::<_, i32>(column)?.into(),
                _ => row.try_get(column)?,
            }),
            Record::Text(_) => self.parsed(column, "an integer", |text| text.parse().ok()),
        }
    }

    /// An int2 or int4.
    pub(super) fn int4(self, column: usize) -> Result<i32, TransactionError> {
        let number = self.int(column)?;
        i32::try_from(number).map_err(|_| unreadable(column, &number.to_string(), "an int4"))
    }

    /// A numeric in units of its `SCALE`th digit after the point.
    pub(super) fn decimal<const SCALE: u32>(self, column: usize) -> Result<i64, TransactionError> {
        match self {
            Record::Binary(row) => Ok(row.try_get::<_, Decimal<SCALE>>(column)?.0),
            Record::Text(_) => self.parsed(column, "a numeric", |text| {
                Decimal::<SCALE>::parse(text).map(|decimal| decimal.0)
            }),
        }
    }

    /// A float8.
    pub(super) fn float(self, column: usize) -> Result<f64, TransactionError> {
        match self {
            Record::Binary(row) => Ok(row.try_get(column)?),
            Record::Text(_) => self.parsed(column, "a number", |text| text.parse().ok()),
        }
    }

    /// Characters, of `char(n)` with its padding.
    pub(super) fn text(self, column: usize) -> Result<&'a str, TransactionError> {
        Ok(match self {
            Record::Binary(row) => row.try_get(column)?,
            Record::Text(row) => row.try_get(column)?.unwrap_or_default(),
        })
    }

    fn parsed<T>(
        self,
        column: usize,
        kind: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, TransactionError> {
        let Record::Text(row) = self else {
            return Err(unreadable(column, "binary", kind));
        };
        let text = row.try_get(column)?.unwrap_or_default();
        parse(text).ok_or_else(|| unreadable(column, text, kind))
    }
}

fn unreadable(column: usize, found: &str, expected: &str) -> TransactionError {
    TransactionError::Unreadable(format!(
        "column {} of an answer: it is \"{found}\", {expected} was expected",
        column + 1
    ))
}
