//! Heap tuples built by hand, in memory that is used again.

use pgrx::pg_sys;
use workload::row::{ColumnWriter, Record};

use super::numeric::{self, MAX_ENCODED};

/// Room in front of a tuple's data: the header and a null bitmap of up to 72 columns.
const MAX_HEADER: usize = 32;
/// No row of the nine tables is longer (customer: about 800 bytes at most).
const MAX_ROW: usize = 2048;
/// The most bytes of a varlena with a one-byte header, that byte included.
const MAX_SHORT: usize = 0x7F;

/// A batch of heap tuples, laid out as `heap_form_tuple` does it.
///
/// The arena and the tuples' heads never move, so pointers into them stay good until
/// [`clear`](Self::clear).
pub struct TupleBatch {
    arena: Vec<u64>,
    used: usize,
    tuples: Vec<pg_sys::HeapTupleData>,
    max_tuples: usize,
    table_oid: pg_sys::Oid,
}

impl TupleBatch {
    /// Room for `max_tuples` tuples in `bytes` bytes, for a relation (or for none: `InvalidOid`).
    pub fn new(max_tuples: usize, bytes: usize, table_oid: pg_sys::Oid) -> Self {
        let words = bytes.max(2 * MAX_ROW).div_ceil(8);
        Self {
            arena: vec![0; words],
            used: 0,
            tuples: Vec::with_capacity(max_tuples),
            max_tuples,
            table_oid,
        }
    }

    /// Whether the next row might not fit.
    pub fn is_full(&self) -> bool {
        self.tuples.len() == self.max_tuples || self.arena.len() * 8 - self.used < MAX_ROW
    }

    /// Forgets the tuples and keeps the memory.
    pub fn clear(&mut self) {
        self.used = 0;
        self.tuples.clear();
    }

    /// The tuples of the batch.
    pub fn tuples(&mut self) -> &mut [pg_sys::HeapTupleData] {
        &mut self.tuples
    }

    /// Appends a row; the batch must not be full.
    #[inline]
    pub fn push<R: Record>(&mut self, row: &R) {
        assert!(!self.is_full(), "the batch of tuples is full");
        let start = self.used;
        // SAFETY: plain bytes of the arena, which is borrowed for as long as the slice lives.
        let arena = unsafe {
            std::slice::from_raw_parts_mut(
                self.arena.as_mut_ptr().cast::<u8>(),
                self.arena.len() * 8,
            )
        };
        let room = &mut arena[start..start + MAX_ROW];
        let mut builder = RowBuilder {
            data: &mut room[MAX_HEADER..],
            length: 0,
            column: 0,
            nulls: 0,
            flags: 0,
        };
        row.write(&mut builder);
        let RowBuilder {
            length,
            column,
            nulls,
            flags,
            ..
        } = builder;

        let bare = std::mem::offset_of!(pg_sys::HeapTupleHeaderData, t_bits);
        let bitmap = if nulls == 0 { 0 } else { column.div_ceil(8) };
        let header = (bare + bitmap).next_multiple_of(8);
        let from = MAX_HEADER - header;
        room[from..MAX_HEADER].fill(0);
        for byte in 0..bitmap {
            // A set bit is a column that is there; bits past the last column stay clear.
            let here = (column - 8 * byte).min(8);
            let mask = if here == 8 { 0xFF } else { (1u8 << here) - 1 };
            room[from + bare + byte] = !((nulls >> (8 * byte)) as u8) & mask;
        }
        let head = room[from..]
            .as_mut_ptr()
            .cast::<pg_sys::HeapTupleHeaderData>();
        // SAFETY: `from` is a multiple of 8 into an arena of u64 and the header fits in front of
        // the data. The rest of the header (xmin, ctid ...) is heap_multi_insert's to fill.
        unsafe {
            (*head).t_infomask2 = column as u16;
            (*head).t_infomask = flags;
            (*head).t_hoff = header as u8;
            (*head).t_ctid.ip_blkid = pg_sys::BlockIdData {
                bi_hi: 0xFFFF,
                bi_lo: 0xFFFF,
            };
        }
        self.tuples.push(pg_sys::HeapTupleData {
            t_len: (header + length) as u32,
            t_self: pg_sys::ItemPointerData {
                ip_blkid: pg_sys::BlockIdData {
                    bi_hi: 0xFFFF,
                    bi_lo: 0xFFFF,
                },
                ip_posid: 0,
            },
            t_tableOid: self.table_oid,
            t_data: head,
        });
        self.used = (start + MAX_HEADER + length).next_multiple_of(8);
    }
}

/// Lays out one row's columns: the alignment and short varlena rules of `heap_fill_tuple`.
struct RowBuilder<'a> {
    data: &'a mut [u8],
    length: usize,
    column: usize,
    nulls: u64,
    flags: u16,
}

impl RowBuilder<'_> {
    #[inline(always)]
    fn align(&mut self, to: usize) {
        let aligned = self.length.next_multiple_of(to);
        self.data[self.length..aligned].fill(0);
        self.length = aligned;
    }

    #[inline(always)]
    fn bytes(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        self.data[self.length..end].copy_from_slice(bytes);
        self.length = end;
    }

    #[inline(always)]
    fn varlena(&mut self, body: &[u8]) {
        let short = body.len() + 1;
        if short <= MAX_SHORT {
            let header = if cfg!(target_endian = "little") {
                (short << 1) | 1
            } else {
                short | 0x80
            };
            self.bytes(&[header as u8]);
        } else {
            self.align(4);
            let long = (body.len() + 4) as u32;
            let header = if cfg!(target_endian = "little") {
                long << 2
            } else {
                long
            };
            self.bytes(&header.to_ne_bytes());
        }
        self.bytes(body);
        self.flags |= pg_sys::HEAP_HASVARWIDTH as u16;
        self.column += 1;
    }
}

impl ColumnWriter for RowBuilder<'_> {
    #[inline(always)]
    fn int2(&mut self, value: i16) {
        self.align(2);
        self.bytes(&value.to_ne_bytes());
        self.column += 1;
    }

    #[inline(always)]
    fn int4(&mut self, value: i32) {
        self.align(4);
        self.bytes(&value.to_ne_bytes());
        self.column += 1;
    }

    #[inline(always)]
    fn text(&mut self, value: &[u8]) {
        self.varlena(value);
    }

    #[inline(always)]
    fn numeric(&mut self, unscaled: i64, scale: u8) {
        let mut body = [0; MAX_ENCODED];
        let length = numeric::encode(unscaled, scale, &mut body);
        self.varlena(&body[..length]);
    }

    #[inline(always)]
    fn timestamp(&mut self, us_since_2000: i64) {
        self.align(8);
        self.bytes(&us_since_2000.to_ne_bytes());
        self.column += 1;
    }

    #[inline(always)]
    fn null(&mut self) {
        self.nulls |= 1 << self.column;
        self.flags |= pg_sys::HEAP_HASNULL as u16;
        self.column += 1;
    }
}
