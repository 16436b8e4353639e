//! The segment of a crew: `[Head][Seat; workers][text][Job::Shared]`.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, AtomicU64, Ordering};

use super::super::dsm::Segment;
use super::super::error::{Result, ServerError, SqlState};
use super::super::settings::Settings;
use super::Job;

/// Seat states, in the order in which a worker passes them.
pub mod seat {
    /// Attached to the segment.
    pub const ATTACHED: u32 = 1;
    /// Connected, at work.
    pub const WORKING: u32 = 2;
    /// Went through its preparations (the job decides what that means).
    pub const READY: u32 = 3;
    /// Came to the end of its work.
    pub const DONE: u32 = 4;
    /// Ended by an error, which it tried to leave in the error slot.
    pub const FAILED: u32 = 5;
}

/// Why a crew is to stop, in `Head::stop`.
pub mod stop {
    /// It is not.
    pub const NO: u32 = 0;
    /// The leader ends it.
    pub const LEADER: u32 = 1;
    /// Another session asked for it.
    pub const ASKED: u32 = 2;
}

/// One worker's place.
#[repr(C)]
pub struct Seat {
    pub state: AtomicU32,
    pub pid: AtomicI32,
}

const MESSAGE_BYTES: usize = 1000;

/// The first error of any worker; written once, by the one that claims it.
#[repr(C)]
struct ErrorSlot {
    claimed: AtomicU32,
    written: AtomicU32,
    worker: AtomicU32,
    sqlstate: [AtomicU8; 5],
    lengths: [AtomicU32; 3],
    texts: [UnsafeCell<[u8; MESSAGE_BYTES]>; 3],
}

impl ErrorSlot {
    /// Does nothing when another worker was first. Texts are cut at 1000 bytes.
    fn write(&self, worker: usize, sqlstate: SqlState, texts: [&[u8]; 3]) {
        let claim = self
            .claimed
            .compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
        if claim.is_err() {
            return;
        }
        self.worker.store(worker as u32, Ordering::Relaxed);
        for (to, from) in self.sqlstate.iter().zip(sqlstate.0) {
            to.store(from, Ordering::Relaxed);
        }
        for ((to, length), from) in self.texts.iter().zip(&self.lengths).zip(texts) {
            let bytes = from.len().min(MESSAGE_BYTES);
            // SAFETY: only the one process that claimed the slot writes, and nobody reads
            // before `written` says so.
            unsafe {
                to.get()
                    .cast::<u8>()
                    .copy_from_nonoverlapping(from.as_ptr(), bytes)
            };
            length.store(bytes as u32, Ordering::Relaxed);
        }
        self.written.store(1, Ordering::Release);
    }
}

#[repr(C)]
struct Head {
    magic: AtomicU64,
    handle: AtomicU32,
    database: AtomicU32,
    user: AtomicU32,
    leader_pid: AtomicI32,
    workers: AtomicU32,
    gate: AtomicU32,
    stop: AtomicU32,
    text_bytes: AtomicU64,
    error: ErrorSlot,
}

/// What the leader writes before the first worker starts.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Letter<A> {
    pub settings: Settings,
    pub arguments: A,
}

/// Who the crew belongs to.
#[derive(Clone, Copy)]
pub struct Owner {
    pub database: u32,
    pub user: u32,
    pub leader_pid: i32,
}

struct Layout {
    seats: usize,
    text: usize,
    shared: usize,
    total: usize,
}

impl Layout {
    fn new<J: Job>(workers: usize, text_bytes: usize) -> Self {
        let align = |offset: usize| offset.next_multiple_of(128);
        let seats = align(size_of::<Head>());
        let text = align(seats + workers * size_of::<Seat>());
        let shared = align(text + text_bytes);
        Self {
            seats,
            text,
            shared,
            total: shared + size_of::<J::Shared>(),
        }
    }
}

/// A mapped segment that is known to be a crew's of job `J`.
pub struct Board<J: Job> {
    pub segment: Segment,
    layout: Layout,
    job: PhantomData<J>,
}

impl<J: Job> Board<J> {
    /// Job, sizes and version of the library, so that nobody reads what another build wrote.
    fn magic() -> u64 {
        let text = concat!("pg_tpcc ", env!("CARGO_PKG_VERSION"));
        let sizes = [size_of::<Head>() as u64, size_of::<J::Shared>() as u64];
        text.bytes()
            .chain(J::NAME.bytes())
            .chain(sizes.iter().flat_map(|size| size.to_le_bytes()))
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            })
    }

    /// A new segment with everything but the job's own part filled in.
    pub fn create(workers: usize, letter: &Letter<&J::Arguments>, owner: Owner) -> Result<Self> {
        let text = serde_json::to_vec(letter)
            .map_err(|error| ServerError::new(SqlState::INTERNAL, error.to_string()))?;
        let layout = Layout::new::<J>(workers, text.len());
        let segment = Segment::create(layout.total)?;
        // SAFETY: the segment is `layout.total` bytes long, of which the text takes
        // `text.len()` from `layout.text`; nobody else has attached it yet.
        unsafe {
            segment
                .base()
                .add(layout.text)
                .copy_from_nonoverlapping(text.as_ptr(), text.len());
        }
        let board = Self {
            segment,
            layout,
            job: PhantomData,
        };
        let head = board.head();
        head.handle.store(board.segment.handle(), Ordering::Relaxed);
        head.database.store(owner.database, Ordering::Relaxed);
        head.user.store(owner.user, Ordering::Relaxed);
        head.leader_pid.store(owner.leader_pid, Ordering::Relaxed);
        head.workers.store(workers as u32, Ordering::Relaxed);
        head.text_bytes.store(text.len() as u64, Ordering::Relaxed);
        head.magic.store(Self::magic(), Ordering::Release);
        Ok(board)
    }

    /// The crew with this handle, or `None` when it is gone, or is something else.
    pub fn attach(handle: u32) -> Option<Self> {
        let segment = Segment::attach(handle)?;
        let length = segment.len();
        let mut board = Self {
            segment,
            layout: Layout::new::<J>(0, 0),
            job: PhantomData,
        };
        if length >= board.layout.total
            && board.head().magic.load(Ordering::Acquire) == Self::magic()
            && board.head().handle.load(Ordering::Relaxed) == handle
        {
            let text_bytes = board.head().text_bytes.load(Ordering::Relaxed) as usize;
            board.layout = Layout::new::<J>(board.workers(), text_bytes);
            if length >= board.layout.total {
                return Some(board);
            }
        }
        board.segment.detach();
        None
    }

    fn head(&self) -> &Head {
        // SAFETY: every Board has a segment of at least size_of::<Head>() bytes (checked in
        // create and attach), aligned to a page; Head is atomics and bytes, valid for any bits.
        unsafe { &*self.segment.base().cast::<Head>() }
    }

    /// The part that is the job's own.
    pub fn shared(&self) -> &J::Shared {
        // SAFETY: the layout leaves room for it at a multiple of 128 from a page's start; it
        // began as zero bytes, which `Shared` promises to be valid, and is changed by its own
        // atomics only.
        unsafe {
            &*self
                .segment
                .base()
                .add(self.layout.shared)
                .cast::<J::Shared>()
        }
    }

    /// Number of workers.
    pub fn workers(&self) -> usize {
        self.head().workers.load(Ordering::Relaxed) as usize
    }

    /// A place for each worker.
    pub fn seats(&self) -> &[Seat] {
        // SAFETY: the layout leaves room for `workers` of them; they are atomics.
        unsafe {
            std::slice::from_raw_parts(
                self.segment.base().add(self.layout.seats).cast::<Seat>(),
                self.workers(),
            )
        }
    }

    /// Who started it.
    pub fn owner(&self) -> Owner {
        let head = self.head();
        Owner {
            database: head.database.load(Ordering::Relaxed),
            user: head.user.load(Ordering::Relaxed),
            leader_pid: head.leader_pid.load(Ordering::Relaxed),
        }
    }

    /// What the leader told its workers.
    pub fn letter(&self) -> Result<Letter<J::Arguments>> {
        // SAFETY: the text was written before anybody could attach and is never changed.
        let text = unsafe {
            std::slice::from_raw_parts(
                self.segment.base().add(self.layout.text),
                self.head().text_bytes.load(Ordering::Relaxed) as usize,
            )
        };
        serde_json::from_slice(text)
            .map_err(|error| ServerError::new(SqlState::INTERNAL, error.to_string()))
    }

    /// Lets the workers go beyond their first step.
    pub fn open_gate(&self) {
        self.head().gate.store(1, Ordering::Release);
    }

    /// Whether [`Board::open_gate`] was called.
    pub fn gate_is_open(&self) -> bool {
        self.head().gate.load(Ordering::Acquire) != 0
    }

    /// Asks everybody to stop; the first reason stays.
    pub fn request_stop(&self, why: u32) {
        let _ =
            self.head()
                .stop
                .compare_exchange(stop::NO, why, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// One of [`stop`].
    pub fn stop(&self) -> u32 {
        self.head().stop.load(Ordering::Relaxed)
    }

    /// Leaves `error` for the leader, unless another worker was first.
    pub fn report_error(&self, worker: usize, error: &ServerError) {
        let texts = [
            error.message.as_bytes(),
            error.detail.as_deref().unwrap_or_default().as_bytes(),
            error.hint.as_deref().unwrap_or_default().as_bytes(),
        ];
        self.head().error.write(worker, error.sqlstate, texts);
    }

    /// The first error and the worker that left it.
    pub fn error(&self) -> Option<(usize, ServerError)> {
        let slot = &self.head().error;
        if slot.written.load(Ordering::Acquire) == 0 {
            return None;
        }
        let text = |i: usize| {
            let length = slot.lengths[i].load(Ordering::Relaxed) as usize;
            // SAFETY: `written` was seen, after which the bytes are not changed any more.
            let bytes = unsafe {
                std::slice::from_raw_parts(
                    slot.texts[i].get().cast::<u8>(),
                    length.min(MESSAGE_BYTES),
                )
            };
            String::from_utf8_lossy(bytes).into_owned()
        };
        let some = |text: String| (!text.is_empty()).then_some(text);
        let error = ServerError {
            sqlstate: SqlState(std::array::from_fn(|i| {
                slot.sqlstate[i].load(Ordering::Relaxed)
            })),
            message: text(0),
            detail: some(text(1)),
            hint: some(text(2)),
        };
        Some((slot.worker.load(Ordering::Relaxed) as usize, error))
    }
}

/// Sets the stop flag of the crew whose segment lies at `base`.
///
/// # Safety
/// `base` is the start of a mapped segment that [`Board::create`] made.
pub unsafe fn request_stop_at(base: *mut u8, why: u32) {
    // SAFETY: by the contract above a Head lies there.
    let head = unsafe { &*base.cast::<Head>() };
    let _ = head
        .stop
        .compare_exchange(stop::NO, why, Ordering::Relaxed, Ordering::Relaxed);
}

/// Leaves an error in the slot of the crew whose segment lies at `base`.
///
/// # Safety
/// As [`request_stop_at`].
pub unsafe fn report_error_at(base: *mut u8, worker: usize, sqlstate: SqlState, texts: [&[u8]; 3]) {
    // SAFETY: by the contract above a Head lies there.
    unsafe { &*base.cast::<Head>() }
        .error
        .write(worker, sqlstate, texts);
}
