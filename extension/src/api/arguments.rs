//! What a caller may have got wrong in an argument, told with the value and the range.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::pg::error::{Result, ServerError, SqlState};

/// The value of an argument that must not be NULL.
///
/// Errors: 22004.
pub fn required<T>(name: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| {
        ServerError::new(
            SqlState::NULL_VALUE,
            format!("{name} is NULL: a value was expected"),
        )
    })
}

/// The value of an argument that must not be NULL and must lie in `range`.
///
/// Errors: 22004, 22023.
pub fn in_range<T: PartialOrd + Display>(
    name: &str,
    value: Option<T>,
    range: RangeInclusive<T>,
) -> Result<T> {
    let value = required(name, value)?;
    if range.contains(&value) {
        return Ok(value);
    }
    Err(ServerError::new(
        SqlState::INVALID_VALUE,
        format!(
            "{name} is {value}: {} to {} was expected",
            range.start(),
            range.end()
        ),
    ))
}

/// The elements of an array argument, none of which may be NULL.
///
/// Errors: 22004.
pub fn elements(name: &str, values: Option<Vec<Option<i32>>>) -> Result<Vec<i32>> {
    required(name, values)?
        .into_iter()
        .enumerate()
        .map(|(i, value)| required(&format!("{name}[{}]", i + 1), value))
        .collect()
}
