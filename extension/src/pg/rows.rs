//! Rows of the workload as the result of a set-returning function.

use pgrx::callconv::{BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use workload::tpcc::table::Row;

use super::error::{Result, ServerError, SqlState};
use super::latch;
use super::tuple::TupleBatch;

/// The call of a set-returning function, through which it hands over its rows.
pub type Call = pg_sys::FunctionCallInfo;

/// Says that the rows of the call were handed over.
pub struct RowSet(());

/// Hands `rows` over as the whole result of `call`: in a tuple store, which takes at most `work_mem`
/// of memory and then a temporary file.
///
/// The tuples are laid out by the same code that the bulk load uses.
///
/// # Errors
/// 0A000 where the caller takes no set of rows.
pub fn hand_over<R: Row>(call: Call, rows: impl Iterator<Item = R>) -> Result<RowSet> {
    let refused = || {
        ServerError::new(
            SqlState(*b"0A000"),
            "a set of rows was asked for where none can be taken",
        )
        .hint(format!(
            "Call it in FROM: SELECT * FROM tpcc_gen_{}(...).",
            R::TABLE.name()
        ))
    };
    // SAFETY: `call` is the call that is going on, so its resultinfo is null or a node; the store
    // and its descriptor are made in the query's memory, where the executor expects them.
    let store = unsafe {
        let info = (*call).resultinfo.cast::<pg_sys::ReturnSetInfo>();
        if info.is_null()
            || (*info).type_ != pg_sys::NodeTag::T_ReturnSetInfo
            || (*info).allowedModes & pg_sys::SetFunctionReturnMode::SFRM_Materialize as i32 == 0
        {
            return Err(refused());
        }
        let before = pg_sys::MemoryContextSwitchTo((*(*info).econtext).ecxt_per_query_memory);
        let mut descriptor: pg_sys::TupleDesc = std::ptr::null_mut();
        let class = pg_sys::get_call_result_type(call, std::ptr::null_mut(), &raw mut descriptor);
        if class != pg_sys::TypeFuncClass::TYPEFUNC_COMPOSITE {
            pg_sys::MemoryContextSwitchTo(before);
            return Err(refused());
        }
        let any_order = (*info).allowedModes
            & pg_sys::SetFunctionReturnMode::SFRM_Materialize_Random as i32
            != 0;
        let store = pg_sys::tuplestore_begin_heap(any_order, false, pg_sys::work_mem);
        (*info).returnMode = pg_sys::SetFunctionReturnMode::SFRM_Materialize;
        (*info).setResult = store;
        (*info).setDesc = descriptor;
        pg_sys::MemoryContextSwitchTo(before);
        store
    };
    let mut batch = TupleBatch::new(256, 64 * 1024, pg_sys::InvalidOid);
    rows.for_each(|row| {
        if batch.is_full() {
            put(store, &mut batch);
        }
        batch.push(&row);
    });
    put(store, &mut batch);
    Ok(RowSet(()))
}

fn put(store: *mut pg_sys::Tuplestorestate, batch: &mut TupleBatch) {
    latch::check_for_interrupts();
    for tuple in batch.tuples() {
        // SAFETY: the store lives as long as the query and copies the tuple.
        unsafe { pg_sys::tuplestore_puttuple(store, tuple) };
    }
    batch.clear();
}

// SAFETY: in materialize mode the returned datum itself means nothing.
unsafe impl BoxRet for RowSet {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        fcinfo.return_null()
    }
}

// SAFETY: the functions that return it bring their own SQL (sql/generators.sql).
unsafe impl SqlTranslatable for RowSet {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(RowSet);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: std::result::Result<SqlMappingRef, ArgumentError> =
        Ok(SqlMappingRef::literal("record"));
    const RETURN_SQL: std::result::Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("record")));
}
