//! Rows written straight into a heap, past the executor.
//!
//! What the executor would have done is done here: the right to INSERT is checked, the indexes that
//! are there get their entries, and a table that needs more than that (triggers, row security,
//! generated columns, checks, partitions, another access method) is refused.

use std::marker::PhantomData;
use std::ptr;

use pgrx::pg_sys;
use workload::row::Record;

use super::error::Result;
use super::tuple::TupleBatch;
use super::{latch, target};

/// Tuples and bytes of a batch: some thirty pages at once, of which only the first one is shared with
/// the batch before, for less than a megabyte.
const BATCH_TUPLES: usize = 4096;
const BATCH_BYTES: usize = 256 * 1024;

/// Where the pages go that a load has filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffers {
    /// They stay in shared buffers: right while all of the data fits there.
    Keep,
    /// A ring of 16 MB, as COPY uses it, that leaves other tables' pages alone.
    Ring,
}

impl Buffers {
    /// For a load of about so many bytes in all.
    pub fn for_size(bytes: u64) -> Self {
        // SAFETY: the number of shared buffers is fixed since the server's start.
        let shared = unsafe { pg_sys::NBuffers } as u64 * u64::from(pg_sys::BLCKSZ);
        if bytes <= shared / 4 * 3 {
            Buffers::Keep
        } else {
            Buffers::Ring
        }
    }
}

/// An open table that takes rows of one kind until the transaction ends.
pub struct BulkWriter<R> {
    relation: pg_sys::Relation,
    state: pg_sys::BulkInsertState,
    batch: TupleBatch,
    descriptor: pg_sys::TupleDesc,
    slots: Vec<*mut pg_sys::TupleTableSlot>,
    indexes: Option<Indexes>,
    command: pg_sys::CommandId,
    rows: u64,
    of: PhantomData<R>,
}

/// The indexes of the table, where it has any.
#[derive(Clone, Copy)]
struct Indexes {
    estate: *mut pg_sys::EState,
    result: *mut pg_sys::ResultRelInfo,
}

impl<R: Record> BulkWriter<R> {
    /// Opens `schema`.`table` in a mode in which others may read and write it.
    ///
    /// To be called in a transaction, at whose end the writer must be gone.
    ///
    /// # Errors
    /// 42P01 without such a table, 42501 without the right to insert into it, TC006 where it is not
    /// a plain table with just the columns of the rows.
    pub fn open(schema: &str, table: &str, buffers: Buffers) -> Result<Self> {
        let relation = target::open(schema, table, R::COLUMNS)?;
        // SAFETY: the relation is open and locked until the transaction ends; all that is made here
        // lives in the transaction's memory, or longer than the writer.
        unsafe {
            let state = pg_sys::GetBulkInsertState();
            if buffers == Buffers::Keep {
                // The access strategy is the first field of BulkInsertStateData in every major;
                // a null one is PostgreSQL's "no ring", which FreeBulkInsertState knows too.
                let strategy = state.cast::<pg_sys::BufferAccessStrategy>();
                pg_sys::FreeAccessStrategy(*strategy);
                *strategy = ptr::null_mut();
            }
            Ok(Self {
                relation,
                state,
                batch: TupleBatch::new(BATCH_TUPLES, BATCH_BYTES, (*relation).rd_id),
                // Not the relation's own: each slot would count a reference to that one, and the
                // resource owner looks through them all at each.
                descriptor: pg_sys::CreateTupleDescCopy((*relation).rd_att),
                slots: Vec::new(),
                indexes: Indexes::open(relation),
                command: pg_sys::GetCurrentCommandId(true),
                rows: 0,
                of: PhantomData,
            })
        }
    }

    /// Adds a row; it is in the heap after [`finish`](Self::finish) at the latest.
    #[inline]
    pub fn push(&mut self, row: &R) {
        if self.batch.is_full() {
            self.flush();
        }
        self.batch.push(row);
    }

    /// Writes what is left and closes the table; its lock stays until the transaction ends.
    pub fn finish(mut self) -> u64 {
        self.flush();
        // SAFETY: all of these were made in `open`, in this transaction.
        unsafe {
            if let Some(Indexes { estate, result }) = self.indexes {
                pg_sys::ExecCloseIndices(result);
                pg_sys::FreeExecutorState(estate);
            }
            for slot in self.slots.drain(..) {
                pg_sys::ExecDropSingleTupleTableSlot(slot);
            }
            pg_sys::FreeBulkInsertState(self.state);
            pg_sys::relation_close(self.relation, pg_sys::NoLock as i32);
        }
        self.rows
    }

    fn flush(&mut self) {
        latch::check_for_interrupts();
        let tuples = self.batch.tuples();
        let count = tuples.len();
        if count == 0 {
            return;
        }
        // SAFETY: each slot is a heap slot of this relation. It is lent a tuple of the batch, and
        // the flag that says the slot owns it keeps heap_multi_insert from copying the tuple once
        // more; the flag is taken back before anything could free the tuple. After an error the
        // slots are only freed with their memory context, which looks at no flag.
        unsafe {
            while self.slots.len() < count {
                self.slots.push(pg_sys::MakeSingleTupleTableSlot(
                    self.descriptor,
                    &raw const pg_sys::TTSOpsHeapTuple,
                ));
            }
            for (slot, tuple) in self.slots.iter().zip(tuples) {
                let slot = slot.cast::<pg_sys::HeapTupleTableSlot>();
                (*slot).tuple = tuple;
                (*slot).off = 0;
                (*slot).base.tts_nvalid = 0;
                (*slot).base.tts_flags = ((*slot).base.tts_flags
                    & !(pg_sys::TTS_FLAG_EMPTY as u16))
                    | pg_sys::TTS_FLAG_SHOULDFREE as u16;
            }
            extend_no_more_than_needed(self.state);
            // No look at the free space map: the rows of a unit stay together, in their order.
            pg_sys::heap_multi_insert(
                self.relation,
                self.slots.as_mut_ptr(),
                count as i32,
                self.command,
                pg_sys::HEAP_INSERT_SKIP_FSM as i32,
                self.state,
            );
            for slot in &self.slots[..count] {
                if let Some(indexes) = self.indexes {
                    indexes.insert(*slot);
                }
                let slot = slot.cast::<pg_sys::HeapTupleTableSlot>();
                (*slot).tuple = ptr::null_mut();
                (*slot).base.tts_nvalid = 0;
                (*slot).base.tts_flags = ((*slot).base.tts_flags
                    & !(pg_sys::TTS_FLAG_SHOULDFREE as u16))
                    | pg_sys::TTS_FLAG_EMPTY as u16;
            }
        }
        self.rows += count as u64;
        self.batch.clear();
    }
}

/// Keeps the table from growing by more pages than the next batch fills.
///
/// From 16 on, a table grows by as many pages as the same bulk insert has added before, up to 64:
/// of a small table most would stay empty.
///
/// # Safety
/// `state` comes from GetBulkInsertState.
unsafe fn extend_no_more_than_needed(state: pg_sys::BulkInsertState) {
    #[cfg(any(feature = "pg16", feature = "pg17", feature = "pg18"))]
    {
        /// BulkInsertStateData of hio.h, which pgrx leaves opaque.
        #[repr(C)]
        struct State {
            strategy: pg_sys::BufferAccessStrategy,
            current_buf: pg_sys::Buffer,
            next_free: pg_sys::BlockNumber,
            last_free: pg_sys::BlockNumber,
            already_extended_by: u32,
        }
        // SAFETY: this is the struct's layout in 16 to 18.
        unsafe { (*state.cast::<State>()).already_extended_by = 0 };
    }
    #[cfg(any(feature = "pg14", feature = "pg15"))]
    let _ = state;
}

impl Indexes {
    /// # Safety
    /// `relation` is open and stays so as long as the result is used.
    unsafe fn open(relation: pg_sys::Relation) -> Option<Self> {
        // SAFETY: what COPY FROM does; everything lives in the executor state's memory, which is a
        // child of the transaction's.
        unsafe {
            if !(*(*relation).rd_rel).relhasindex {
                return None;
            }
            let estate = pg_sys::CreateExecutorState();
            let result =
                pgrx::PgBox::<pg_sys::ResultRelInfo>::alloc_node(pg_sys::NodeTag::T_ResultRelInfo)
                    .into_pg();
            pg_sys::InitResultRelInfo(result, relation, 0, ptr::null_mut(), 0);
            pg_sys::ExecOpenIndices(result, false);
            Some(Self { estate, result })
        }
    }

    /// # Safety
    /// `slot` holds a tuple of the relation that heap_multi_insert has just put there.
    unsafe fn insert(self, slot: *mut pg_sys::TupleTableSlot) {
        // SAFETY: the executor state and the open indexes live until `finish`.
        unsafe {
            pg_sys::ExecInsertIndexTuples(
                self.result,
                slot,
                self.estate,
                false,
                false,
                ptr::null_mut(),
                ptr::null_mut(),
                #[cfg(not(any(feature = "pg14", feature = "pg15")))]
                false,
            );
            let context = (*self.estate).es_per_tuple_exprcontext;
            if !context.is_null() {
                pg_sys::MemoryContextReset((*context).ecxt_per_tuple_memory);
            }
        }
    }
}
