//! Rows, and how one is handed to whoever stores it.

use std::fmt;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// smallint.
    Int2,
    /// integer.
    Int4,
    /// bigint.
    Int8,
    /// varchar(max).
    Varchar(u16),
    /// char(length); our values always fill it, so padding never matters.
    Char(u16),
    /// numeric(precision, scale).
    Numeric {
        /// Digits in all.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// timestamptz.
    Timestamp,
}

impl fmt::Display for ColumnKind {
    /// The type as SQL spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnKind::Int2 => f.write_str("smallint"),
            ColumnKind::Int4 => f.write_str("integer"),
            ColumnKind::Int8 => f.write_str("bigint"),
            ColumnKind::Varchar(max) => write!(f, "varchar({max})"),
            ColumnKind::Char(len) => write!(f, "char({len})"),
            ColumnKind::Numeric { precision, scale } => write!(f, "numeric({precision},{scale})"),
            ColumnKind::Timestamp => f.write_str("timestamptz"),
        }
    }
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name: of TPC-C's tables the standard's.
    pub name: &'static str,
    /// What it holds.
    pub kind: ColumnKind,
    /// Whether a row of ours may have a null there: of TPC-C's only o_carrier_id and ol_delivery_d.
    pub nullable: bool,
}

/// Takes the values of a row, one call a column in the order of the table.
pub trait ColumnWriter {
    /// A smallint.
    fn int2(&mut self, value: i16);
    /// An integer.
    fn int4(&mut self, value: i32);
    /// A varchar or char in ASCII, a char at its full length.
    fn text(&mut self, value: &[u8]);
    /// A char of `length` blanks, 126 at most.
    fn blanks(&mut self, length: usize) {
        self.text(&[b' '; 126][..length]);
    }
    /// A numeric: `unscaled` divided by ten to the power `scale`.
    fn numeric(&mut self, unscaled: i64, scale: u8);
    /// A timestamptz in microseconds since 2000-01-01 00:00:00 UTC.
    fn timestamp(&mut self, us_since_2000: i64);
    /// A bigint, which is kept as a timestamptz is.
    fn int8(&mut self, value: i64) {
        self.timestamp(value);
    }
    /// A null.
    fn null(&mut self);
}

/// A row of a table with these columns.
pub trait Record {
    /// The columns in the order of the table.
    const COLUMNS: &'static [Column];

    /// Hands every column to `out`, in the order of [`COLUMNS`](Self::COLUMNS).
    fn write(&self, out: &mut impl ColumnWriter);
}

/// A column in which there is always something.
pub(crate) const fn column(name: &'static str, kind: ColumnKind) -> Column {
    Column {
        name,
        kind,
        nullable: false,
    }
}

/// A column in which there may be nothing.
pub(crate) const fn nullable(name: &'static str, kind: ColumnKind) -> Column {
    Column {
        name,
        kind,
        nullable: true,
    }
}
