//! The table that a bulk load writes into, and whether it may.
//!
//! A writer that goes past the executor must check by itself what the executor would have checked.

use std::ffi::{CStr, CString};
use std::ptr;

use pgrx::pg_sys;
use workload::row::{Column, ColumnKind};

use super::error::{Result, ServerError, SqlState};

/// Whether rows may be written straight into `schema`.`table` by the current user; the table's lock
/// stays until the transaction ends.
///
/// # Errors
/// As [`open`].
pub fn check(schema: &str, table: &str, columns: &[Column]) -> Result<()> {
    open_checked(schema, table, columns, Internal::MayBe).map(|relation| {
        // SAFETY: opened just now.
        unsafe { pg_sys::relation_close(relation, pg_sys::NoLock as i32) };
    })
}

/// Whether there may be triggers of PostgreSQL's own at an insert: the checks of foreign keys and of deferrable
/// constraints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Internal {
    /// They are to be dropped before rows are written.
    MayBe,
    /// Rows are about to be written.
    MayNotBe,
}

/// Opens `schema`.`table` in a mode in which others may read and write it; the lock stays until the
/// transaction ends.
///
/// # Errors
/// 42P01 without such a table, 42501 without the right to insert into it, TC006 where it is not a
/// plain table with just these columns.
pub fn open(schema: &str, table: &str, columns: &[Column]) -> Result<pg_sys::Relation> {
    open_checked(schema, table, columns, Internal::MayNotBe)
}

fn open_checked(
    schema: &str,
    table: &str,
    columns: &[Column],
    internal: Internal,
) -> Result<pg_sys::Relation> {
    let relation = open_relation(schema, table)?;
    // SAFETY: the relation is open, and closed again where it is not what it should be.
    unsafe {
        match check_right(relation, table)
            .and_then(|()| check_shape(relation, table, columns, internal))
        {
            Ok(()) => Ok(relation),
            Err(error) => {
                pg_sys::relation_close(relation, pg_sys::NoLock as i32);
                Err(error)
            }
        }
    }
}

fn open_relation(schema: &str, table: &str) -> Result<pg_sys::Relation> {
    let missing = || {
        ServerError::new(
            SqlState::UNDEFINED_TABLE,
            format!("table {} does not exist in schema \"{schema}\"", table),
        )
    };
    let schema_name = CString::new(schema).map_err(|_| missing())?;
    let table_name = CString::new(table).map_err(|_| missing())?;
    let lock = pg_sys::RowExclusiveLock as i32;
    // SAFETY: the range variable borrows both names, which outlive the look-up; it checks USAGE on
    // the schema and takes the lock, so that the id stays good until the transaction ends.
    unsafe {
        let name = pg_sys::makeRangeVar(
            schema_name.as_ptr().cast_mut(),
            table_name.as_ptr().cast_mut(),
            -1,
        );
        let flags = pg_sys::RVROption::RVR_MISSING_OK;
        let oid = pg_sys::RangeVarGetRelidExtended(name, lock, flags, None, ptr::null_mut());
        if oid == pg_sys::InvalidOid {
            return Err(missing());
        }
        Ok(pg_sys::relation_open(oid, pg_sys::NoLock as i32))
    }
}

/// # Safety
/// `relation` is open.
unsafe fn check_right(relation: pg_sys::Relation, table: &str) -> Result<()> {
    // SAFETY: as promised by the caller.
    let right = unsafe {
        pg_sys::pg_class_aclcheck(
            (*relation).rd_id,
            pg_sys::GetUserId(),
            pg_sys::ACL_INSERT as pg_sys::AclMode,
        )
    };
    if right == pg_sys::AclResult::ACLCHECK_OK {
        return Ok(());
    }
    Err(ServerError::new(
        SqlState::INSUFFICIENT_PRIVILEGE,
        format!("permission denied for table {}", table),
    )
    .hint("The load writes rows as the caller, who needs the right to INSERT."))
}

/// # Safety
/// `relation` is open.
unsafe fn check_shape(
    relation: pg_sys::Relation,
    table: &str,
    columns: &[Column],
    internal: Internal,
) -> Result<()> {
    // SAFETY: an open relation's descriptor, triggers and rules are valid while it is open.
    unsafe {
        let class = &*(*relation).rd_rel;
        let found = match class.relkind as u8 {
            b'r' if class.relispartition => Some("a partition".to_owned()),
            b'r' if class.relam != pg_sys::HEAP_TABLE_AM_OID => {
                Some("kept by another access method than heap".to_owned())
            }
            b'r' => None,
            b'p' => Some("a partitioned table".to_owned()),
            b'f' => Some("a foreign table".to_owned()),
            b'v' => Some("a view".to_owned()),
            b'm' => Some("a materialized view".to_owned()),
            _ => Some("not a table".to_owned()),
        };
        let found = found.map(|found| format!("is {found}"));
        if let Some(found) = found.or_else(|| extras(relation, internal)) {
            return Err(foreign(table, &found));
        }
        check_columns(relation, table, columns)
    }
}

/// What the table has that only the executor could serve.
///
/// # Safety
/// `relation` is open.
unsafe fn extras(relation: pg_sys::Relation, internal: Internal) -> Option<String> {
    // SAFETY: as promised by the caller.
    unsafe {
        let triggers = (*relation).trigdesc;
        if !triggers.is_null() {
            let all =
                std::slice::from_raw_parts((*triggers).triggers, (*triggers).numtriggers as usize);
            if let Some(own) = all.iter().find(|trigger| !trigger.tgisinternal) {
                let name = CStr::from_ptr(own.tgname).to_string_lossy();
                return Some(format!("has the trigger {name}"));
            }
            let at_insert = pg_sys::TRIGGER_TYPE_INSERT as i16;
            let checks = |trigger: &pg_sys::Trigger| trigger.tgtype & at_insert != 0;
            if internal == Internal::MayNotBe && all.iter().any(checks) {
                return Some("has a foreign key or a deferrable constraint".to_owned());
            }
        }
        if !(*relation).rd_rules.is_null() {
            return Some("has rules".to_owned());
        }
        let row_security = pg_sys::check_enable_rls((*relation).rd_id, pg_sys::InvalidOid, true);
        if row_security == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32 {
            return Some("has row security for the caller".to_owned());
        }
        let constraints = (*(*relation).rd_att).constr;
        if !constraints.is_null() {
            if (*constraints).num_check > 0 {
                return Some("has check constraints".to_owned());
            }
            #[cfg(feature = "pg18")]
            let virtual_columns = (*constraints).has_generated_virtual;
            #[cfg(not(feature = "pg18"))]
            let virtual_columns = false;
            if (*constraints).has_generated_stored || virtual_columns {
                return Some("has generated columns".to_owned());
            }
        }
        None
    }
}

/// # Safety
/// `relation` is open.
unsafe fn check_columns(relation: pg_sys::Relation, table: &str, columns: &[Column]) -> Result<()> {
    // SAFETY: the descriptor has `natts` attributes.
    unsafe {
        let descriptor = (*relation).rd_att;
        let count = (*descriptor).natts as usize;
        if count != columns.len() {
            return Err(foreign(
                table,
                &format!("has {count} columns instead of {}", columns.len()),
            ));
        }
        for (i, column) in columns.iter().enumerate() {
            let attribute = &*attribute(descriptor, i);
            let name = CStr::from_ptr(attribute.attname.data.as_ptr()).to_string_lossy();
            if attribute.attisdropped || name != column.name {
                return Err(foreign(
                    table,
                    &format!("has the column {name} where {} is expected", column.name),
                ));
            }
            if (attribute.atttypid, attribute.atttypmod) != sql_type(column.kind) {
                let found =
                    pg_sys::format_type_with_typemod(attribute.atttypid, attribute.atttypmod);
                let found = CStr::from_ptr(found).to_string_lossy();
                return Err(foreign(
                    table,
                    &format!("has {name} as {found} instead of {}", column.kind),
                ));
            }
        }
    }
    Ok(())
}

/// # Safety
/// `descriptor` is valid and has more than `i` attributes.
unsafe fn attribute(
    descriptor: pg_sys::TupleDesc,
    i: usize,
) -> *const pg_sys::FormData_pg_attribute {
    // SAFETY: as promised by the caller.
    unsafe {
        #[cfg(feature = "pg18")]
        return pg_sys::TupleDescAttr(descriptor, i as i32);
        #[cfg(not(feature = "pg18"))]
        return (*descriptor).attrs.as_ptr().add(i);
    }
}

/// The type's id and modifier, as `pg_attribute` has them.
fn sql_type(kind: ColumnKind) -> (pg_sys::Oid, i32) {
    let header = pg_sys::VARHDRSZ as i32;
    match kind {
        ColumnKind::Int2 => (pg_sys::INT2OID, -1),
        ColumnKind::Int4 => (pg_sys::INT4OID, -1),
        ColumnKind::Int8 => (pg_sys::INT8OID, -1),
        ColumnKind::Timestamp => (pg_sys::TIMESTAMPTZOID, -1),
        ColumnKind::Varchar(max) => (pg_sys::VARCHAROID, i32::from(max) + header),
        ColumnKind::Char(length) => (pg_sys::BPCHAROID, i32::from(length) + header),
        ColumnKind::Numeric { precision, scale } => (
            pg_sys::NUMERICOID,
            ((i32::from(precision) << 16) | i32::from(scale)) + header,
        ),
    }
}

fn foreign(table: &str, found: &str) -> ServerError {
    ServerError::new(
        SqlState::FOREIGN_TABLE,
        format!("table {} {found}", table),
    )
    .hint(
        "A load of pg_tpcc writes only into plain tables as it creates them. Load into another schema, \
         or fill this one with INSERT ... SELECT (of TPC-C's rows: from the tpcc_gen_ functions).",
    )
}
