//! The values that go into statements, in binary and as text.

use std::error::Error;
use std::fmt::Write;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use workload::tpcc::Cents;

use super::numeric;

/// A parameter's value; what it is sent as is the statement's choice.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    Null,
    /// For int2 and int4.
    Int(i32),
    /// For int8, and int4 where it fits.
    Big(i64),
    Amount(Cents),
    Text(&'a str),
    Ints(&'a [i32]),
}

impl<'a> Value<'a> {
    /// Appends the value as an SQL literal that means the same whatever `standard_conforming_strings` is.
    pub(super) fn write_literal(&self, sql: &mut String) {
        match self {
            Value::Null => sql.push_str("NULL"),
            Value::Int(number) => push(sql, format_args!("{number}")),
            Value::Big(number) => push(sql, format_args!("{number}")),
            Value::Amount(amount) => push(sql, format_args!("{amount}")),
            Value::Text(text) => write_text(text, sql),
            Value::Ints(numbers) => {
                sql.push_str("'{");
                for (i, number) in numbers.iter().enumerate() {
                    let comma = if i > 0 { "," } else { "" };
                    push(sql, format_args!("{comma}{number}"));
                }
                sql.push_str("}'::int4[]");
            }
        }
    }
}

fn push(sql: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing into a String does not fail.
    let _ = sql.write_fmt(what);
}

fn write_text(text: &str, sql: &mut String) {
    if text.contains('\\') {
        sql.push('E');
    }
    sql.push('\'');
    for character in text.chars() {
        if matches!(character, '\'' | '\\') {
            sql.push(character);
        }
        sql.push(character);
    }
    sql.push('\'');
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, ty) {
            (Value::Null, _) => return Ok(IsNull::Yes),
            (Value::Int(number), &Type::INT2) => out.put_i16(i16::try_from(*number)?),
            (Value::Int(number), &Type::INT4) => out.put_i32(*number),
            (Value::Big(number), &Type::INT4) => out.put_i32(i32::try_from(*number)?),
            (Value::Big(number), &Type::INT8) => out.put_i64(*number),
            (Value::Amount(amount), &Type::NUMERIC) => numeric::encode(*amount, out),
            (Value::Text(text), &Type::TEXT) => out.put_slice(text.as_bytes()),
            (Value::Ints(numbers), &Type::INT4_ARRAY) => return numbers.to_sql(ty, out),
            _ => return Err(format!("{self:?} is no {ty}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        // It depends on the value: to_sql says so.
        true
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(value: Value<'_>) -> String {
        let mut sql = String::new();
        value.write_literal(&mut sql);
        sql
    }

    #[test]
    fn literals_are_safe() {
        assert_eq!(literal(Value::Text("BARBARBAR")), "'BARBARBAR'");
        assert_eq!(literal(Value::Text("o'clock")), "'o''clock'");
        assert_eq!(literal(Value::Text(r"a\'b")), r"E'a\\''b'");
        assert_eq!(literal(Value::Amount(Cents(105))), "1.05");
        assert_eq!(literal(Value::Ints(&[3, 1])), "'{3,1}'::int4[]");
        assert_eq!(literal(Value::Null), "NULL");
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        let mut out = BytesMut::new();
        assert!(Value::Int(40_000).to_sql(&Type::INT2, &mut out).is_err());
        assert!(Value::Text("1").to_sql(&Type::INT4, &mut out).is_err());
    }
}
