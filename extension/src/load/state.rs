//! What a schema remembers of its loads, read and written by a worker.

use workload::schema::{Loaded, Scale};

use crate::pg::error::Result;
use crate::pg::spi::{Access, Spi};

/// Reads `tpcc_load` and `tpcc_load_part`; the schema comes quoted.
///
/// # Errors
/// What PostgreSQL raises.
pub fn read_loaded(spi: &Spi, schema: &str) -> Result<Loaded> {
    let mut loaded = Loaded::default();
    spi.query(&Loaded::query(schema), &[], Access::ReadWrite, |row| {
        loaded.add(&row.text(0), row.int4(1), row.int8(2) as u64);
        Ok(())
    })?;
    Ok(loaded)
}

/// Reads the row of `tpcc_scale`, if there is one.
///
/// # Errors
/// What PostgreSQL raises.
pub fn read_scale(spi: &Spi, schema: &str) -> Result<Option<Scale>> {
    let mut scale = None;
    spi.query(&Scale::query(schema), &[], Access::ReadWrite, |row| {
        scale = Some(Scale {
            seed: row.int8(0),
            foreign_keys: row.bool(1),
            unlogged: row.bool(2),
        });
        Ok(())
    })?;
    Ok(scale)
}
