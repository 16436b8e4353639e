//! How full the pages of the tables are made.

use serde::{Deserialize, Serialize};

use super::script::table_named;
use crate::tpcc::Table;

/// How full the pages of each table are made, in per cent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fillfactors([u8; 9]);

impl Default for Fillfactors {
    /// Room for new row versions on the page where a run updates them. With 90 all updates of customer
    /// and stock stay heap-only; with 100, 36% and 77% did (10 warehouses, 20 s, 8 workers). The rows
    /// of warehouse and district are rewritten by every payment and order, so few share a page.
    fn default() -> Self {
        Self(Table::ALL.map(|table| match table {
            Table::Warehouse | Table::District => 10,
            Table::Customer | Table::Stock => 90,
            _ => 100,
        }))
    }
}

impl Fillfactors {
    /// That of a table.
    pub fn of(&self, table: Table) -> u8 {
        self.0[table as usize]
    }

    /// The defaults, changed by a JSON object of table names and percentages.
    ///
    /// # Errors
    /// What was found, for anything but the nine tables and whole numbers of 10 to 100.
    pub fn with(choices: &serde_json::Value) -> Result<Self, String> {
        let Some(choices) = choices.as_object() else {
            return Err(format!("fillfactors is {choices}, not an object"));
        };
        let mut fillfactors = Self::default();
        for (name, value) in choices {
            let Some(table) = table_named(name) else {
                return Err(format!(
                    "fillfactors names \"{name}\", which is none of the nine tables"
                ));
            };
            match value.as_u64() {
                Some(percent @ 10..=100) => fillfactors.set(table, percent as u8),
                _ => {
                    return Err(format!(
                        "the fillfactor of {name} is {value}, not 10 to 100"
                    ));
                }
            }
        }
        Ok(fillfactors)
    }

    /// Sets that of a table, 10 to 100.
    pub fn set(&mut self, table: Table, percent: u8) {
        self.0[table as usize] = percent;
    }

    /// As JSON, for `tpcc_scale`.
    pub fn to_json(&self) -> String {
        let object: serde_json::Map<_, _> = Table::ALL
            .into_iter()
            .map(|table| (table.name().to_owned(), self.of(table).into()))
            .collect();
        serde_json::Value::Object(object).to_string()
    }
}
