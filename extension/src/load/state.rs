//! What a schema remembers of its loads: the tables `tpcc_load` and `tpcc_scale`.

use std::collections::HashSet;

use workload::tpcc::{Population, Table};

use super::script::literal;
use super::units::Part;
use crate::pg::error::Result;
use crate::pg::spi::{Access, Spi};

/// The units that are there, each committed together with its rows.
#[derive(Default)]
pub struct Loaded {
    units: HashSet<(Table, i32)>,
    rows: [u64; 9],
}

impl Loaded {
    /// Reads `tpcc_load`; the schema comes quoted.
    ///
    /// # Errors
    /// What PostgreSQL raises.
    pub fn read(spi: &Spi, schema: &str) -> Result<Self> {
        let mut loaded = Self::default();
        let sql = format!("SELECT part, w_id, rows FROM {schema}.tpcc_load");
        spi.query(&sql, &[], Access::ReadWrite, |row| {
            if let Some(table) = super::script::table_named(&row.text(0)) {
                loaded.units.insert((table, row.int4(1)));
                loaded.rows[table as usize] += row.int8(2) as u64;
            }
            Ok(())
        })?;
        Ok(loaded)
    }

    /// Whether nothing is there.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Whether the rows of item are there.
    pub fn has_item(&self) -> bool {
        self.units.contains(&(Table::Item, 0))
    }

    /// Whether a part of a warehouse is there.
    pub fn has(&self, part: Part, w_id: i32) -> bool {
        self.units.contains(&(part.tables()[0], w_id))
    }

    /// The warehouses that are there as a whole.
    pub fn warehouses(&self) -> impl Iterator<Item = i32> + '_ {
        self.units.iter().filter(|(table, _)| *table == Table::Warehouse).map(|(_, w_id)| *w_id)
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

/// Writes down that a unit's table is loaded, in the transaction that wrote its rows.
///
/// # Errors
/// What PostgreSQL raises.
pub fn record(
    spi: &Spi,
    schema: &str,
    table: Table,
    w_id: i32,
    seed: i64,
    rows: u64,
    seconds: f64,
) -> Result<()> {
    spi.run(&format!(
        "INSERT INTO {schema}.tpcc_load (part, w_id, seed, rows, seconds) \
         VALUES ('{}', {w_id}, {seed}, {rows}, {seconds:.6})",
        table.name()
    ))
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
    /// Reads it, if there is one.
    ///
    /// # Errors
    /// What PostgreSQL raises.
    pub fn read(spi: &Spi, schema: &str) -> Result<Option<Self>> {
        let mut scale = None;
        let sql = format!("SELECT seed, foreign_keys, unlogged FROM {schema}.tpcc_scale");
        spi.query(&sql, &[], Access::ReadWrite, |row| {
            scale =
                Some(Self { seed: row.int8(0), foreign_keys: row.bool(1), unlogged: row.bool(2) });
            Ok(())
        })?;
        Ok(scale)
    }

    /// Writes it, or adds the foreign keys to what is there.
    ///
    /// # Errors
    /// What PostgreSQL raises.
    pub fn write(self, spi: &Spi, schema: &str, fillfactors: &str) -> Result<()> {
        let Self { seed, foreign_keys, unlogged } = self;
        let c_last_load = Population::new(seed).c_last_load();
        spi.run(&format!(
            "INSERT INTO {schema}.tpcc_scale \
                 (seed, c_last_load, foreign_keys, unlogged, fillfactors, version) \
             VALUES ({seed}, {c_last_load}, {foreign_keys}, {unlogged}, {}, {}) \
             ON CONFLICT (only_row) DO UPDATE SET foreign_keys = EXCLUDED.foreign_keys \
             WHERE tpcc_scale.foreign_keys IS DISTINCT FROM EXCLUDED.foreign_keys",
            literal(fillfactors),
            literal(env!("CARGO_PKG_VERSION")),
        ))
    }
}
