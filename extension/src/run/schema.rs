//! The data of a run: whether it is there as a whole, and what a run must know of it.

use pgrx::pg_sys;
use workload::schema::script::INDEX_NAMES;

use crate::pg::datum;
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi::{self, Access, Spi};
use crate::txn::{load_hint, require_tables};

/// What a loaded schema says of itself.
pub struct Data {
    /// The schema's name as an SQL identifier.
    pub quoted: String,
    /// Warehouses 1 to this are there.
    pub warehouses: i32,
    /// The seed of the population.
    pub load_seed: i64,
    /// NURand's C for last names when the data was made (clause 2.1.6.1).
    pub c_last_load: i32,
    /// Whether the caller may keep the result in the schema.
    pub may_keep_result: bool,
}

/// Looks at a schema before a run on it.
///
/// # Errors
/// 3F000 and TC003 with the command that mends it when the data is not there as a whole, 25006
/// when nothing may be written.
pub fn inspect(schema: &str) -> Result<Data> {
    spi::connect(|spi| {
        require_tables(spi, schema)?;
        let quoted = spi::quote_identifier(schema)?;
        require_writable(spi)?;
        require_state_tables(spi, schema)?;
        let mut data = read_state(spi, schema, &quoted)?;
        require_indexes(spi, schema, data.warehouses)?;
        let sql = "SELECT pg_catalog.has_table_privilege($1, 'INSERT')";
        let results = format!("{quoted}.tpcc_results");
        one_row(spi, sql, &[&results], |row| {
            data.may_keep_result = row.bool(0)
        })?;
        Ok(data)
    })
}

/// The schema's name as an SQL identifier, and whether the caller may keep the result of a run in it.
///
/// # Errors
/// 3F000 without such a schema, 25006 when nothing may be written.
pub fn results(schema: &str) -> Result<(String, bool)> {
    spi::connect(|spi| {
        let quoted = spi::quote_identifier(schema)?;
        require_writable(spi)?;
        let mut there = false;
        let sql = "SELECT pg_catalog.to_regnamespace($1) IS NOT NULL";
        one_row(spi, sql, &[&quoted], |row| there = row.bool(0))?;
        if !there {
            return Err(ServerError::new(
                SqlState::UNDEFINED_SCHEMA,
                format!("schema \"{schema}\" does not exist"),
            ));
        }
        let mut may_keep = false;
        let sql = "SELECT pg_catalog.to_regclass($1) IS NOT NULL \
                   AND pg_catalog.has_table_privilege(pg_catalog.to_regclass($1)::oid, 'INSERT')";
        let results = format!("{quoted}.tpcc_results");
        one_row(spi, sql, &[&results], |row| {
            may_keep = !row.is_null(0) && row.bool(0);
        })?;
        Ok((quoted, may_keep))
    })
}

fn require_writable(spi: &Spi) -> Result<()> {
    let mut read_only = false;
    let sql = "SELECT pg_catalog.current_setting('transaction_read_only') = 'on'";
    one_row(spi, sql, &[], |row| read_only = row.bool(0))?;
    if read_only {
        return Err(ServerError::new(
            SqlState(*b"25006"),
            "a run writes, and cannot be executed in a read-only transaction",
        )
        .hint("Run it on a primary, with default_transaction_read_only off."));
    }
    Ok(())
}

fn require_state_tables(spi: &Spi, schema: &str) -> Result<()> {
    let mut found = 0;
    let sql = "SELECT count(*) FROM pg_catalog.pg_class c \
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
               WHERE n.nspname = $1 AND c.relname IN ('tpcc_load', 'tpcc_load_part', 'tpcc_scale', 'tpcc_results')";
    one_row(spi, sql, &[schema], |row| found = row.int8(0))?;
    if found == 4 {
        return Ok(());
    }
    Err(not_loaded(schema, 1, "does not say that it was loaded"))
}

fn read_state(spi: &Spi, schema: &str, quoted: &str) -> Result<Data> {
    let mut scale = None;
    let sql = format!("SELECT seed, c_last_load FROM {quoted}.tpcc_scale");
    one_row(spi, &sql, &[], |row| {
        scale = Some((row.int8(0), row.int4(1)))
    })?;
    let (mut items, mut loaded, mut first, mut last) = (0, 0, 0, 0);
    let sql = format!(
        "SELECT count(*) FILTER (WHERE part = 'item'), \
                count(*) FILTER (WHERE part = 'warehouse'), \
                coalesce(min(w_id) FILTER (WHERE part = 'warehouse'), 0), \
                coalesce(max(w_id) FILTER (WHERE part = 'warehouse'), 0) \
         FROM {quoted}.tpcc_load"
    );
    one_row(spi, &sql, &[], |row| {
        (items, loaded) = (row.int8(0), row.int8(1));
        (first, last) = (row.int4(2), row.int4(3));
    })?;
    let mut torn = 0;
    let sql = format!("SELECT coalesce(pg_catalog.max(w_id), 0) FROM {quoted}.tpcc_load_part");
    one_row(spi, &sql, &[], |row| torn = row.int4(0))?;
    let Some((load_seed, c_last_load)) = scale.filter(|_| loaded > 0) else {
        return Err(not_loaded(schema, torn, "holds no whole warehouse"));
    };
    if torn > 0 {
        let found =
            format!("is loaded in part only: a load of {torn} warehouses or more was stopped");
        return Err(not_loaded(schema, torn.max(last), &found));
    }
    if items == 0 || first != 1 || i64::from(last) != loaded {
        let found = format!(
            "is loaded in part only: {loaded} of the warehouses 1 to {last}{}",
            if items == 0 { ", and no items" } else { "" }
        );
        return Err(not_loaded(schema, last, &found));
    }
    Ok(Data {
        quoted: quoted.to_owned(),
        warehouses: last,
        load_seed,
        c_last_load,
        may_keep_result: false,
    })
}

fn require_indexes(spi: &Spi, schema: &str, warehouses: i32) -> Result<()> {
    let names = datum::text_array(INDEX_NAMES.iter().map(|name| name.as_bytes()));
    let arguments = [
        (pg_sys::TEXTOID, Some(datum::varlena(schema.as_bytes()))),
        (pg_sys::TEXTARRAYOID, Some(names)),
    ];
    let sql = "SELECT coalesce(string_agg(wanted.name, ', ' ORDER BY wanted.name), '') \
               FROM unnest($2) AS wanted (name) \
               WHERE NOT EXISTS ( \
                   SELECT FROM pg_catalog.pg_class c \
                   JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                   JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid \
                   WHERE n.nspname = $1 AND c.relname = wanted.name AND i.indisvalid)";
    let mut missing = String::new();
    spi.query(sql, &arguments, Access::ReadWrite, |row| {
        missing = row.text(0);
        Ok(())
    })?;
    if missing.is_empty() {
        return Ok(());
    }
    Err(not_loaded(
        schema,
        warehouses,
        &format!("has no {missing}: its load did not come to its end"),
    ))
}

fn not_loaded(schema: &str, warehouses: i32, found: &str) -> ServerError {
    ServerError::new(SqlState::NOT_LOADED, format!("schema \"{schema}\" {found}"))
        .hint(load_hint(schema, warehouses.max(1)))
}

/// Runs a statement over text arguments and reads its rows under a snapshot of its own.
pub fn one_row(
    spi: &Spi,
    sql: &str,
    arguments: &[&str],
    mut read: impl FnMut(&spi::Row),
) -> Result<()> {
    let arguments: Vec<_> = arguments
        .iter()
        .map(|text| (pg_sys::TEXTOID, Some(datum::varlena(text.as_bytes()))))
        .collect();
    spi.query(sql, &arguments, Access::ReadWrite, |row| {
        read(row);
        Ok(())
    })
    .map(|_| ())
}
