//! sysbench's OLTP: its tables `sbtest1` to `sbtestN`, its scripts with their knobs, and their inputs.
//!
//! What a script does is written down in sysbench's documentation and seen in what it sends; nothing here is its code.

mod distribution;
mod knobs;
mod rows;
mod terminal;
mod variant;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::kind::{Headline, Workload};
use crate::script::{Routine, Script, Statement, Terminal, Transaction, Type, Value};

pub use distribution::{RandType, UnknownRandType};
pub use knobs::{BadKnob, Knobs};
pub use rows::{C_LENGTH, PAD_LENGTH, SbtestRow, SbtestRows};
pub use variant::{UnknownVariant, Variant};

use terminal::OltpTerminal;

/// What it is to those who count.
pub static WORKLOAD: Workload = Workload {
    name: "oltp",
    transactions: &[
        "oltp_read_write",
        "oltp_read_only",
        "oltp_write_only",
        "oltp_point_select",
        "oltp_update_index",
        "oltp_update_non_index",
        "oltp_insert",
        "oltp_delete",
    ],
    headline: Headline::PerSecond,
    // Of two that delete a row and insert it again, the second one finds it inserted. sysbench passes over it too.
    conflicts: &[b"23505"],
    script: Some(|mix, parameters| {
        let mut knobs = parameters.clone();
        let mut number = |name: &str| knobs.remove(name)?.as_i64()?.try_into().ok();
        let (tables, table_size) = (number("tables")?, number("table_size")?);
        Some(Arc::new(Oltp {
            tables: u32::try_from(tables).ok()?,
            table_size,
            variant: mix.parse().ok()?,
            knobs: serde_json::from_value(Json::from_iter(knobs)).ok()?,
        }))
    }),
};

/// The most tables.
pub const MOST_TABLES: u32 = 1_000;
/// The ids of an in-list.
const IN_LIST: usize = 10;

const POINT_SELECT: usize = 0;
const IN_LIST_SELECT: usize = 1;
const SIMPLE_RANGE: usize = 2;
const SUM_RANGE: usize = 3;
const ORDER_RANGE: usize = 4;
const DISTINCT_RANGE: usize = 5;
const INDEX_UPDATE: usize = 6;
const NON_INDEX_UPDATE: usize = 7;
const DELETE: usize = 8;
const INSERT: usize = 9;
const APPEND: usize = 10;

macro_rules! statement {
    ($file:literal, $types:expr, $writes:expr) => {
        Statement {
            sql: include_str!(concat!("../../../sql/oltp/", $file, ".sql")),
            types: $types,
            writes: $writes,
            must: None,
        }
    };
}

const RANGE: &[Type] = &[Type::Int4, Type::Int4];

const STATEMENTS: [Statement; 11] = [
    statement!("point_select", &[Type::Int4], false),
    statement!("in_list", &[Type::Int4s], false),
    statement!("simple_range", RANGE, false),
    statement!("sum_range", RANGE, false),
    statement!("order_range", RANGE, false),
    statement!("distinct_range", RANGE, false),
    statement!("index_update", &[Type::Int4], true),
    statement!("non_index_update", &[Type::Int4, Type::Text], true),
    statement!("delete", &[Type::Int4], true),
    statement!(
        "insert",
        &[Type::Int4, Type::Int4, Type::Text, Type::Text],
        true
    ),
    statement!("append", &[Type::Int4, Type::Text, Type::Text], true),
];

const fn call(writes: bool) -> Statement {
    statement!(
        "call",
        &[Type::Int4s, Type::Int4s, Type::Int4s, Type::Text],
        writes
    )
}

/// By the variant; those that only read come second and fourth.
const CALLS: [Statement; 8] = [
    call(true),
    call(false),
    call(true),
    call(false),
    call(true),
    call(true),
    call(true),
    call(true),
];

/// The names of the functions that are installed for mode udf.
pub const ROUTINES: [&str; 1] = ["oltp_transaction"];

/// The name of a table.
pub fn table(number: u32) -> String {
    format!("sbtest{number}")
}

/// A run of one of sysbench's scripts.
#[derive(Debug, Clone, PartialEq)]
pub struct Oltp {
    /// Tables, from sbtest1 on.
    pub tables: u32,
    /// Rows of each when it was loaded: ids are drawn up to it.
    pub table_size: i32,
    /// Which script.
    pub variant: Variant,
    /// What is set of it.
    pub knobs: Knobs,
}

impl Oltp {
    /// Whether its transactions have no statement at all.
    pub fn is_empty(&self) -> bool {
        let terminal = &mut *self.terminal(0, 0, 1);
        terminal.next_transaction().steps.is_empty()
    }
}

impl Script for Oltp {
    fn workload(&self) -> &'static Workload {
        &WORKLOAD
    }

    fn statements(&self) -> &'static [Statement] {
        &STATEMENTS
    }

    fn calls(&self) -> &'static [Statement] {
        &CALLS
    }

    fn routines(&self) -> Vec<Routine> {
        let template = include_str!("../../../sql/oltp/functions/oltp_transaction.sql");
        vec![Routine {
            name: Cow::Borrowed(ROUTINES[0]),
            template: Cow::Owned(for_each_table(template, self.tables)),
        }]
    }

    /// Operations, tables, numbers and texts of its steps.
    fn call(&self, transaction: &Transaction) -> Vec<Value> {
        let steps = &transaction.steps;
        let operations = steps.iter().map(|step| step.statement as i32).collect();
        let tables = steps.iter().map(|step| step.table as i32 + 1).collect();
        let (mut numbers, mut texts) = (Vec::new(), String::new());
        for value in steps.iter().flat_map(|step| &step.values) {
            match value {
                Value::Int(number) => numbers.push(*number as i32),
                Value::Ints(more) => numbers.extend_from_slice(more),
                Value::Text(text) => texts.push_str(text),
            }
        }
        vec![
            Value::Ints(operations),
            Value::Ints(tables),
            Value::Ints(numbers.into()),
            Value::Text(texts.into()),
        ]
    }

    fn tables(&self) -> Vec<String> {
        self.relations()
    }

    fn relations(&self) -> Vec<String> {
        (1..=self.tables).map(table).collect()
    }

    fn run_arguments(&self) -> Vec<(&'static str, String)> {
        vec![
            ("variant", self.variant.to_string()),
            ("tables", self.tables.to_string()),
            ("table_size", self.table_size.to_string()),
            ("knobs", serde_json::json!(self.knobs).to_string()),
        ]
    }

    fn mix(&self) -> String {
        self.variant.to_string()
    }

    fn size(&self) -> String {
        format!(
            "{} of {} rows",
            crate::counted(self.tables, "table"),
            self.table_size
        )
    }

    fn parameters(&self) -> BTreeMap<String, Json> {
        let mut parameters = BTreeMap::from([
            ("tables".to_owned(), Json::from(self.tables)),
            ("table_size".to_owned(), Json::from(self.table_size)),
        ]);
        if let Ok(Json::Object(knobs)) = serde_json::to_value(self.knobs) {
            parameters.extend(knobs);
        }
        parameters
    }

    fn terminal(&self, seed: i64, terminal: u32, _terminals: u32) -> Box<dyn Terminal> {
        Box::new(OltpTerminal::new(self, seed, terminal))
    }
}

/// Writes what stands between `--{each}` and `--{end}` once a table.
fn for_each_table(template: &str, tables: u32) -> String {
    let parts = template
        .split_once("--{each}\n")
        .and_then(|(head, rest)| Some((head, rest.split_once("--{end}\n")?)));
    let Some((head, (arm, tail))) = parts else {
        return template.to_owned();
    };
    let arms = (1..=tables).map(|number| {
        arm.replace("{number}", &number.to_string())
            .replace("{table}", &table(number))
    });
    format!("{head}{}{tail}", arms.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oltp(variant: Variant, knobs: Knobs) -> Oltp {
        Oltp {
            tables: 4,
            table_size: 1_000,
            variant,
            knobs,
        }
    }

    fn statements(variant: Variant, knobs: Knobs) -> Vec<usize> {
        let transaction = oltp(variant, knobs).terminal(1, 0, 1).next_transaction();
        assert_eq!(transaction.kind.name(), variant.name());
        transaction.steps.iter().map(|s| s.statement).collect()
    }

    #[test]
    fn a_transaction_is_sysbenchs() {
        let default = statements(Variant::ReadWrite, Knobs::default());
        assert_eq!(default.len(), 18);
        assert_eq!(default[..10], [POINT_SELECT; 10]);
        assert_eq!(default[10..], [2, 3, 4, 5, 6, 7, 8, 9]);
        // That of 2016 has one more.
        let old = Knobs {
            in_lists: 1,
            ..Knobs::default()
        };
        assert_eq!(statements(Variant::ReadWrite, old).len(), 19);
        assert_eq!(statements(Variant::ReadOnly, Knobs::default()).len(), 14);
        assert_eq!(
            statements(Variant::WriteOnly, Knobs::default()),
            [6, 7, 8, 9]
        );
        for (variant, statement) in [
            (Variant::PointSelect, POINT_SELECT),
            (Variant::UpdateIndex, INDEX_UPDATE),
            (Variant::UpdateNonIndex, NON_INDEX_UPDATE),
            (Variant::Insert, APPEND),
            (Variant::Delete, DELETE),
        ] {
            assert_eq!(statements(variant, Knobs::default()), [statement]);
        }
    }

    #[test]
    fn the_statements_of_a_knob_have_one_table_and_all_tables_have_their_turn() {
        let oltp = oltp(Variant::ReadWrite, Knobs::default());
        let mut terminal = oltp.terminal(1, 0, 1);
        let mut seen = [0; 4];
        for _ in 0..1_000 {
            let transaction = terminal.next_transaction();
            assert!(transaction.in_block);
            let table = transaction.steps[0].table;
            assert!(transaction.steps[..10].iter().all(|s| s.table == table));
            let [delete, insert] = &transaction.steps[16..] else {
                panic!("two statements");
            };
            assert_eq!(delete.table, insert.table);
            assert_eq!(delete.values[0], insert.values[0]);
            seen[table] += 1;
        }
        assert!(seen.iter().all(|count| *count > 200), "{seen:?}");
    }

    #[test]
    fn a_run_is_made_again_from_its_document() {
        let knobs = Knobs {
            point_selects: 3,
            rand_type: RandType::Zipfian,
            rand_zipfian_exp: 1.2,
            skip_trx: true,
            ..Knobs::default()
        };
        let oltp = oltp(Variant::WriteOnly, knobs);
        let make = WORKLOAD.script.unwrap();
        let made = make(&oltp.mix(), &oltp.parameters()).unwrap();
        assert_eq!(format!("{made:?}"), format!("{oltp:?}"));
        assert!(make("oltp_reads", &oltp.parameters()).is_none());
        assert!(make("oltp_read_only", &BTreeMap::new()).is_none());
        let mut terminals = [oltp.terminal(3, 1, 2), made.terminal(3, 1, 2)];
        let [ours, theirs] = terminals.each_mut().map(|t| t.next_transaction());
        assert_eq!(ours, theirs);
        assert!(!ours.in_block);
    }

    #[test]
    fn the_function_has_an_arm_for_each_table() {
        let [routine] = &oltp(Variant::ReadWrite, Knobs::default()).routines()[..] else {
            panic!("one routine");
        };
        for number in 1..=4 {
            let update = format!("UPDATE {{schema}}.sbtest{number} SET k = k + 1");
            assert!(routine.template.contains(&update), "{}", routine.template);
        }
        assert!(!routine.template.contains("{table}"));
        assert!(!routine.template.contains("sbtest5"));
    }
}
