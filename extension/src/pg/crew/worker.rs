//! A worker's side of a crew.

use std::ffi::{CStr, c_char};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use pgrx::{pg_guard, pg_sys};

use super::super::error::{ServerError, SqlState, catch};
use super::super::{compat, latch, settings, xact};
use super::Job;
use super::board::{Board, Letter, report_error_at, seat, stop};

/// One worker, as its job sees it.
pub struct Worker<J: Job> {
    board: Board<J>,
    index: usize,
    letter: Letter<J::Arguments>,
}

impl<J: Job> Worker<J> {
    /// From 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many there are.
    pub fn workers(&self) -> usize {
        self.board.workers()
    }

    /// What the leader said.
    pub fn arguments(&self) -> &J::Arguments {
        &self.letter.arguments
    }

    /// What all of them and the leader share.
    pub fn shared(&self) -> &J::Shared {
        self.board.shared()
    }

    /// Tells the leader that the preparations are done.
    pub fn ready(&self) {
        self.board.seats()[self.index]
            .state
            .store(seat::READY, Ordering::Release);
    }

    /// Whether the leader, or somebody through it, wants the crew to stop.
    pub fn should_stop(&self) -> bool {
        self.board.stop() != stop::NO
    }

    /// Waits up to `timeout`, less when the crew is to stop. To be called between transactions.
    pub fn pause(&self, timeout: Duration) {
        if self.should_stop() {
            latch::check_between_transactions();
        } else {
            latch::wait_between_transactions(timeout);
        }
    }
}

/// The body of a job's entry function: everything a worker does from its start to its end.
///
/// An error or a panic of the job is left for the leader; a FATAL (a worker that was terminated,
/// a role that may not connect) is left for it too, by way of the log hook.
pub fn serve<J: Job>(argument: pg_sys::Datum) {
    compat::install_worker_signal_handlers();
    let Some(board) = Board::<J>::attach(argument.value() as u32) else {
        // The leader was gone before this worker came to life.
        return;
    };
    let Some(index) = own_index().filter(|index| *index < board.workers()) else {
        board.segment.detach();
        return;
    };
    let seat = &board.seats()[index];
    // SAFETY: the pid of this process.
    seat.pid
        .store(unsafe { pg_sys::MyProcPid }, Ordering::Relaxed);
    seat.state.store(seat::ATTACHED, Ordering::Release);
    while !board.gate_is_open() && board.stop() == stop::NO {
        latch::wait(Duration::from_millis(2));
    }
    if board.stop() == stop::NO {
        note_fatal_errors(&board, index);
        connect(&board);
    }
    let worked = if board.stop() == stop::NO {
        catch(|| {
            let letter = board.letter()?;
            xact::transaction(|| settings::apply(&letter.settings))?;
            seat.state.store(seat::WORKING, Ordering::Release);
            Ok(letter)
        })
    } else {
        seat.state.store(seat::DONE, Ordering::Release);
        return;
    };
    match worked {
        Ok(letter) => run(Worker {
            board,
            index,
            letter,
        }),
        Err(error) => fail(&board, index, &error),
    }
}

fn run<J: Job>(worker: Worker<J>) {
    xact::report_activity(xact::Activity::Running(&format!(
        "pg_tpcc {} worker {} of {}",
        J::NAME,
        worker.index + 1,
        worker.workers()
    )));
    match catch(|| J::work(&worker)) {
        Ok(()) => {
            worker.board.seats()[worker.index]
                .state
                .store(seat::DONE, Ordering::Release);
        }
        Err(error) => fail(&worker.board, worker.index, &error),
    }
}

fn fail<J: Job>(board: &Board<J>, index: usize, error: &ServerError) {
    xact::abort();
    board.report_error(index, error);
    board.seats()[index]
        .state
        .store(seat::FAILED, Ordering::Release);
}

fn connect<J: Job>(board: &Board<J>) {
    let owner = board.owner();
    // SAFETY: the one connection of this process, as the role that started the crew; it raises
    // FATAL when that role may not connect.
    unsafe {
        pg_sys::BackgroundWorkerInitializeConnectionByOid(
            pg_sys::Oid::from(owner.database),
            pg_sys::Oid::from(owner.user),
            0,
        );
    }
}

fn own_index() -> Option<usize> {
    // SAFETY: MyBgworkerEntry is this worker's own entry; the leader wrote a terminated number.
    let text = unsafe { CStr::from_ptr((*pg_sys::MyBgworkerEntry).bgw_extra.as_ptr()) };
    text.to_str().ok()?.parse().ok()
}

/// Where [`note_fatal`] leaves what it sees: this process works in one crew only.
static FATAL_BASE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static FATAL_WORKER: AtomicUsize = AtomicUsize::new(0);
static NEXT_HOOK: OnceLock<pg_sys::emit_log_hook_type> = OnceLock::new();

/// From now on a FATAL of this process is left in the crew's error slot before the process ends.
fn note_fatal_errors<J: Job>(board: &Board<J>, index: usize) {
    FATAL_WORKER.store(index, Ordering::Relaxed);
    FATAL_BASE.store(board.segment.base(), Ordering::Relaxed);
    board
        .segment
        .on_detach(forget_segment, pg_sys::Datum::from(0));
    // SAFETY: hooks are plain variables of this process, which runs one thread.
    unsafe {
        let _ = NEXT_HOOK.set(pg_sys::emit_log_hook);
        pg_sys::emit_log_hook = Some(note_fatal);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn forget_segment(
    _segment: *mut pg_sys::dsm_segment,
    _argument: pg_sys::Datum,
) {
    FATAL_BASE.store(std::ptr::null_mut(), Ordering::Relaxed);
}

#[pg_guard]
unsafe extern "C-unwind" fn note_fatal(report: *mut pg_sys::ErrorData) {
    let base = FATAL_BASE.load(Ordering::Relaxed);
    // SAFETY: PostgreSQL hands a report that is valid during the call, with texts that are null
    // or terminated; `base` is null or the crew's segment, still mapped (see forget_segment).
    unsafe {
        if !base.is_null() && (*report).elevel == pg_sys::FATAL as i32 {
            let text = |text: *const c_char| {
                if text.is_null() {
                    &[][..]
                } else {
                    CStr::from_ptr(text).to_bytes()
                }
            };
            report_error_at(
                base,
                FATAL_WORKER.load(Ordering::Relaxed),
                SqlState::from_packed((*report).sqlerrcode),
                [
                    text((*report).message),
                    text((*report).detail),
                    text((*report).hint),
                ],
            );
        }
        if let Some(Some(next)) = NEXT_HOOK.get() {
            next(report);
        }
    }
}
