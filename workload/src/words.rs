//! Words that client and extension say alike.

use std::fmt::Display;

/// A number of things: "1 thread", "2 threads".
pub fn counted(count: impl Display, what: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_many() {
        assert_eq!(counted(1, "thread"), "1 thread");
        assert_eq!(counted(21, "thread"), "21 threads");
        assert_eq!(counted(0, "warehouse"), "0 warehouses");
    }
}
