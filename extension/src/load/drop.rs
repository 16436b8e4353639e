//! The end of a schema: the tables of TPC-C and what is remembered of them.

use workload::schema::script::{STATE_TABLES, literal, table_named};
use workload::tpcc::Table;

use super::lock;
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi::{self, Access, Spi};

/// The table of the results of runs.
const RESULTS: &str = "tpcc_results";

/// Drops the nine tables and the state of the loads, the results of runs only with `results` or when
/// there are none, and the schema when nothing is left in it.
///
/// # Errors
/// 3F000 without such a schema, TC006 where it is not one that tpcc_load made, TC004 while a load is
/// at work there, and what PostgreSQL raises: nothing is dropped then.
pub fn drop_all(schema: &str, results: bool) -> Result<()> {
    lock::schema(schema)?;
    spi::connect(|spi| {
        lock::wait_for_units(spi, schema)?;
        let quoted = spi::quote_identifier(schema)?;
        let tables = ours(spi, schema)?;
        let keep_results = !results && tables.contains(&RESULTS.to_owned()) && {
            let sql = format!("SELECT 1 FROM {quoted}.{RESULTS} LIMIT 1");
            spi.query(&sql, &[], Access::ReadWrite, |_| Ok(()))? > 0
        };
        let names: Vec<_> = tables
            .iter()
            .filter(|name| !(keep_results && *name == RESULTS))
            .map(|name| format!("{quoted}.{name}"))
            .collect();
        if !names.is_empty() {
            spi.run(&format!("DROP TABLE {}", names.join(", ")))?;
        }
        if may_drop_schema(spi, schema)? {
            spi.run(&format!("DROP SCHEMA {quoted}"))?;
        }
        Ok(())
    })
}

/// Our tables in the schema; an error where they are not what tpcc_load made.
fn ours(spi: &Spi, schema: &str) -> Result<Vec<String>> {
    let literal = literal(schema);
    let sql = format!("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = {literal}");
    if spi.query(&sql, &[], Access::ReadWrite, |_| Ok(()))? == 0 {
        return Err(ServerError::new(
            SqlState::UNDEFINED_SCHEMA,
            format!("schema \"{schema}\" does not exist"),
        ));
    }
    let mut found: Vec<(String, bool, String)> = Vec::new();
    let sql = format!(
        "SELECT c.relname::text, c.relkind IN ('r', 'p'), (SELECT coalesce(pg_catalog.string_agg( \
             a.attname::text, ',' ORDER BY a.attnum), '') FROM pg_catalog.pg_attribute a \
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) \
         FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {literal} \
         ORDER BY c.relname"
    );
    spi.query(&sql, &[], Access::ReadWrite, |row| {
        found.push((row.text(0), row.bool(1), row.text(2)));
        Ok(())
    })?;
    found.retain(|(name, ..)| STATE_TABLES.contains(&name.as_str()) || table_named(name).is_some());
    let data = found
        .iter()
        .filter_map(|(name, ..)| table_named(name))
        .count();
    if data > 0 && !found.iter().any(|(name, ..)| name == "tpcc_scale") {
        let name = found
            .iter()
            .find_map(|(name, ..)| table_named(name))
            .map_or("", Table::name);
        return Err(not_ours(schema, name, "there is no tpcc_scale beside it"));
    }
    for (name, is_table, columns) in &found {
        if !is_table {
            return Err(not_ours(schema, name, "it is not a table"));
        }
        let Some(table) = table_named(name) else {
            continue;
        };
        let expected: Vec<_> = table.columns().iter().map(|column| column.name).collect();
        if *columns != expected.join(",") {
            return Err(not_ours(schema, name, "it has other columns"));
        }
    }
    Ok(found.into_iter().map(|(name, ..)| name).collect())
}

fn not_ours(schema: &str, name: &str, why: &str) -> ServerError {
    ServerError::new(
        SqlState::FOREIGN_TABLE,
        format!("{name} in schema \"{schema}\" was not made by tpcc_load: {why}"),
    )
    .hint("Nothing was dropped. Drop it by hand if it is to go.")
}

/// Whether the schema is the caller's, empty, none that everybody expects to be there, and one that
/// the caller could make again: what an administrator gave stays.
fn may_drop_schema(spi: &Spi, schema: &str) -> Result<bool> {
    let mut may = false;
    let sql = format!(
        "SELECT n.nspname <> 'public' AND n.nspname !~ '^pg_' \
             AND pg_catalog.pg_has_role(n.nspowner, 'USAGE') \
             AND pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') \
             AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d \
                 WHERE d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass \
                   AND d.refobjid = n.oid) \
         FROM pg_catalog.pg_namespace n WHERE n.nspname = {}",
        literal(schema)
    );
    spi.query(&sql, &[], Access::ReadWrite, |row| {
        may = row.bool(0);
        Ok(())
    })?;
    Ok(may)
}
