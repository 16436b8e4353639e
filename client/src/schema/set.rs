//! Table sets: the same nine tables in several schemas.

use clap::Args;

/// The flags that name the schemas of a load, a run, a check or a drop.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub struct SetArgs {
    /// Schema of the nine tables; with --tables, the beginning of their names
    #[arg(long, value_name = "NAME", default_value = "tpcc", value_parser = valid_name)]
    pub schema: String,
    /// Sets of the nine tables; more than one: schemas NAME1, NAME2 ...
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub tables: u32,
}

impl SetArgs {
    /// The schemas' names: that of `--schema`, or as many numbered ones as `--tables` says.
    pub fn schemas(&self) -> Vec<String> {
        match self.tables {
            0 | 1 => vec![self.schema.clone()],
            sets => (1..=sets)
                .map(|set| format!("{}{set}", self.schema))
                .collect(),
        }
    }
}

/// What PostgreSQL keeps of a name, in bytes; a longer one would be cut, and two sets could be one.
const LONGEST: usize = 63;
/// Room for the number of a set.
const NUMBER: usize = 4;

/// A name that a schema can have.
pub(crate) fn valid_name(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("a schema has a name".to_owned());
    }
    if text.contains('\0') {
        return Err("a name holds no zero byte".to_owned());
    }
    if text.len() > LONGEST - NUMBER {
        return Err(format!(
            "the name has {} bytes, and at most {} are possible",
            text.len(),
            LONGEST - NUMBER
        ));
    }
    if text.starts_with("pg_") {
        return Err("names that begin with pg_ are PostgreSQL's own".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(schema: &str, tables: u32) -> SetArgs {
        SetArgs {
            schema: schema.to_owned(),
            tables,
        }
    }

    #[test]
    fn one_set_has_the_name_and_more_have_numbers() {
        assert_eq!(set("tpcc", 1).schemas(), ["tpcc"]);
        assert_eq!(set("tpcc", 3).schemas(), ["tpcc1", "tpcc2", "tpcc3"]);
    }

    #[test]
    fn impossible_names_are_refused() {
        for text in ["", "a\0b", "pg_catalog", &"x".repeat(60)] {
            assert!(valid_name(text).is_err(), "{text}");
        }
        assert_eq!(valid_name("My Schema"), Ok("My Schema".to_owned()));
    }
}
