//! The twelve consistency conditions (clause 3.3.2), one SQL file each, in one snapshot.

use workload::schema::checks::{CONDITIONS, description};

use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi::{self, Access};
use crate::txn;

/// What a condition gave.
pub struct Finding {
    /// The condition's number in clause 3.3.2.
    pub condition: i32,
    /// What it asks for.
    pub description: String,
    /// Rows, districts or warehouses that break it.
    pub violations: i64,
    /// One of them.
    pub example: Option<String>,
}

/// Checks all conditions under the snapshot of the calling statement.
///
/// Errors: 3F000, TC003, and whatever reading the tables gives.
pub fn run(schema: &str) -> Result<Vec<Finding>> {
    spi::connect(|spi| {
        let quoted = spi::quote_identifier(schema)?;
        txn::require_tables(spi, schema)?;
        let mut warehouses = 0;
        let sql = format!("SELECT count(*) FROM {quoted}.warehouse");
        spi.query(&sql, &[], Access::ReadOnly, |row| {
            warehouses = row.int8(0);
            Ok(())
        })?;
        if warehouses == 0 {
            return Err(ServerError::new(
                SqlState::NOT_LOADED,
                format!("schema \"{schema}\" has the tables of TPC-C and no warehouse in them"),
            )
            .hint(txn::load_hint(schema, 1)));
        }
        let mut findings = Vec::with_capacity(CONDITIONS.len());
        for (condition, sql) in (1..).zip(CONDITIONS) {
            spi.query(
                &sql.replace("{schema}", &quoted),
                &[],
                Access::ReadOnly,
                |row| {
                    findings.push(Finding {
                        condition,
                        description: description(sql).to_owned(),
                        violations: row.int8(0),
                        example: (!row.is_null(1)).then(|| row.text(1)),
                    });
                    Ok(())
                },
            )?;
        }
        Ok(findings)
    })
}
