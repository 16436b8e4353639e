//! sysbench's scripts by their names.

use std::fmt;
use std::str::FromStr;

use super::WORKLOAD;

/// One of sysbench's scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// Reads and writes in a block.
    #[default]
    ReadWrite,
    /// The reads of it.
    ReadOnly,
    /// The writes of it.
    WriteOnly,
    /// One row by its id.
    PointSelect,
    /// One update of k.
    UpdateIndex,
    /// One update of c.
    UpdateNonIndex,
    /// One new row, with the next id.
    Insert,
    /// One row less.
    Delete,
}

impl Variant {
    /// All of them, in the order of the workload's types.
    pub const ALL: [Variant; 8] = [
        Variant::ReadWrite,
        Variant::ReadOnly,
        Variant::WriteOnly,
        Variant::PointSelect,
        Variant::UpdateIndex,
        Variant::UpdateNonIndex,
        Variant::Insert,
        Variant::Delete,
    ];

    /// sysbench's name of the script.
    pub fn name(self) -> &'static str {
        WORKLOAD.transactions[self as usize]
    }

    /// Whether it writes nothing.
    pub fn is_read_only(self) -> bool {
        matches!(self, Variant::ReadOnly | Variant::PointSelect)
    }

    /// Whether BEGIN and COMMIT belong to it.
    pub(super) fn is_block(self) -> bool {
        matches!(
            self,
            Variant::ReadWrite | Variant::ReadOnly | Variant::WriteOnly
        )
    }
}

/// A text that names no script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is none of sysbench's scripts: {names} was expected", names = WORKLOAD.transactions.join(", "))]
pub struct UnknownVariant(pub String);

impl FromStr for Variant {
    type Err = UnknownVariant;

    /// The name, with or without `oltp_`.
    fn from_str(text: &str) -> Result<Variant, UnknownVariant> {
        let is = |variant: &Variant| {
            variant.name() == text || variant.name().strip_prefix("oltp_") == Some(text)
        };
        let found = Variant::ALL.into_iter().find(is);
        found.ok_or_else(|| UnknownVariant(text.to_owned()))
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for variant in Variant::ALL {
            assert_eq!(variant.to_string().parse(), Ok(variant));
        }
        assert_eq!("read_only".parse(), Ok(Variant::ReadOnly));
        assert!("".parse::<Variant>().is_err());
        assert!("oltp_".parse::<Variant>().is_err());
    }
}
