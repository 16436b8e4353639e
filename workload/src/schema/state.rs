//! What a schema remembers of its loads: the tables `tpcc_load`, `tpcc_load_part` and `tpcc_scale`.

use std::collections::{BTreeSet, HashSet};

use super::Part;
use super::script::literal;
use crate::tpcc::{Population, Table};

/// Rows of a warehouse but for its order lines, whose number differs.
const FIXED_ROWS: u64 = {
    let mut rows = 0;
    let mut i = 0;
    while i < Table::ALL.len() {
        if !matches!(Table::ALL[i], Table::OrderLine) {
            rows += Table::ALL[i].rows_per_warehouse();
        }
        i += 1;
    }
    rows
};

/// The units that are there, each committed together with its rows.
#[derive(Default)]
pub struct Loaded {
    item: bool,
    whole: BTreeSet<i32>,
    parts: HashSet<(Part, i32)>,
    rows: [u64; 9],
}

impl Loaded {
    /// Reads all units: their part, warehouse and rows; the schema comes quoted.
    pub fn query(schema: &str) -> String {
        format!(
            "SELECT part, w_id, rows FROM {schema}.tpcc_load \
             UNION ALL SELECT part, w_id, rows FROM {schema}.tpcc_load_part"
        )
    }

    /// Adds a row of [`Loaded::query`].
    pub fn add(&mut self, part: &str, w_id: i32, rows: u64) {
        match part {
            "item" => self.add_item(rows),
            "warehouse" => self.add_whole(w_id, rows),
            name => {
                if let Some(part) = Part::named(name) {
                    self.add_part(part, w_id, rows);
                }
            }
        }
    }

    fn add_item(&mut self, rows: u64) {
        self.item = true;
        self.rows[Table::Item as usize] = rows;
    }

    fn add_whole(&mut self, w_id: i32, rows: u64) {
        self.whole.insert(w_id);
        for table in Table::ALL
            .into_iter()
            .filter(|table| *table != Table::OrderLine)
        {
            self.rows[table as usize] += table.rows_per_warehouse();
        }
        self.rows[Table::OrderLine as usize] += rows.saturating_sub(FIXED_ROWS);
    }

    fn add_part(&mut self, part: Part, w_id: i32, rows: u64) {
        self.parts.insert((part, w_id));
        let mut left = rows;
        for table in part
            .tables()
            .iter()
            .filter(|table| **table != Table::OrderLine)
        {
            self.rows[*table as usize] += table.rows_per_warehouse();
            left = left.saturating_sub(table.rows_per_warehouse());
        }
        self.rows[Table::OrderLine as usize] += left;
    }

    /// Whether nothing is there.
    pub fn is_empty(&self) -> bool {
        !self.item && self.whole.is_empty() && self.parts.is_empty()
    }

    /// Whether the rows of item are there.
    pub fn has_item(&self) -> bool {
        self.item
    }

    /// Whether a part of a warehouse is there.
    pub fn has(&self, part: Part, w_id: i32) -> bool {
        self.whole.contains(&w_id) || self.parts.contains(&(part, w_id))
    }

    /// The warehouses that are there as a whole, in order.
    pub fn warehouses(&self) -> impl DoubleEndedIterator<Item = i32> + ExactSizeIterator + '_ {
        self.whole.iter().copied()
    }

    /// The highest warehouse of which parts alone are there; 0 where there is none.
    pub fn highest_begun(&self) -> i32 {
        self.parts.iter().map(|(_, w_id)| *w_id).max().unwrap_or(0)
    }

    /// Rows of a table that were loaded.
    pub fn rows(&self, table: Table) -> u64 {
        self.rows[table as usize]
    }

    /// Rows of all tables that were loaded.
    pub fn all_rows(&self) -> u64 {
        self.rows.iter().sum()
    }
}

/// What a unit's transaction writes down beside its rows.
pub struct Unit {
    /// Its rows.
    pub rows: u64,
    /// How long they took to write.
    pub seconds: f64,
}

impl Unit {
    /// Writes down, as SQL, that item is loaded.
    pub fn record_item(&self, schema: &str, seed: i64) -> String {
        let Self { rows, seconds } = self;
        format!(
            "INSERT INTO {schema}.tpcc_load (part, w_id, seed, rows, seconds) \
             VALUES ('item', 0, {seed}, {rows}, {seconds:.6})"
        )
    }

    /// Writes down, as SQL, that a part of a warehouse is loaded.
    pub fn record_part(&self, schema: &str, part: Part, w_id: i32) -> String {
        let Self { rows, seconds } = self;
        let name = part.name();
        format!(
            "INSERT INTO {schema}.tpcc_load_part (part, w_id, rows, seconds) \
             VALUES ('{name}', {w_id}, {rows}, {seconds:.6})"
        )
    }

    /// Writes down, as SQL, that a warehouse is there as a whole: its parts become one.
    pub fn record_whole(&self, schema: &str, w_id: i32, seed: i64) -> String {
        let Self { rows, seconds } = self;
        format!(
            "WITH parts AS ( \
                 DELETE FROM {schema}.tpcc_load_part WHERE w_id = {w_id} RETURNING rows, seconds \
             ) \
             INSERT INTO {schema}.tpcc_load (part, w_id, seed, rows, seconds) \
             SELECT 'warehouse', {w_id}, {seed}, {rows} + sum(rows), {seconds:.6} + sum(seconds) \
             FROM parts"
        )
    }
}

/// The row of `tpcc_scale`.
#[derive(Clone, Copy)]
pub struct Scale {
    /// The seed of all rows.
    pub seed: i64,
    /// Whether foreign keys are part of the schema.
    pub foreign_keys: bool,
    /// Whether the tables were made unlogged.
    pub unlogged: bool,
}

impl Scale {
    /// Reads it: the seed, whether there are foreign keys, whether it is unlogged.
    pub fn query(schema: &str) -> String {
        format!("SELECT seed, foreign_keys, unlogged FROM {schema}.tpcc_scale")
    }

    /// Writes it, or adds the foreign keys to what is there, as SQL; the schema comes quoted.
    pub fn write(self, schema: &str, fillfactors: &str) -> String {
        let Self {
            seed,
            foreign_keys,
            unlogged,
        } = self;
        let c_last_load = Population::new(seed).c_last_load();
        format!(
            "INSERT INTO {schema}.tpcc_scale \
                 (seed, c_last_load, foreign_keys, unlogged, fillfactors, version) \
             VALUES ({seed}, {c_last_load}, {foreign_keys}, {unlogged}, {}, {}) \
             ON CONFLICT (only_row) DO UPDATE SET foreign_keys = EXCLUDED.foreign_keys \
             WHERE tpcc_scale.foreign_keys IS DISTINCT FROM EXCLUDED.foreign_keys",
            literal(fillfactors),
            literal(env!("CARGO_PKG_VERSION")),
        )
    }
}
