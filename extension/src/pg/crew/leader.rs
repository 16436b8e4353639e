//! The leader's side of a crew.

use std::ffi::c_char;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use pgrx::prelude::*;
use pgrx::{pg_guard, pg_sys};

use super::super::error::{Result, ServerError, SqlState, catch};
use super::super::settings;
use super::super::snapshot::Unpinned;
use super::Job;
use super::board::{Board, Letter, Owner, request_stop_at, seat, stop};

/// A leader's hold on its workers.
pub struct Crew<J: Job> {
    board: Board<J>,
    guard: *mut Guard,
}

/// How the workers stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Not yet at the end of their work.
    pub working: usize,
    /// Of these, prepared (see [`super::Worker::ready`]).
    pub ready: usize,
    /// Came to the end of their work.
    pub done: usize,
}

/// The registered workers; on Rust's heap, freed by the detach callback.
struct Guard {
    handles: Vec<*mut pg_sys::BackgroundWorkerHandle>,
}

/// Background workers that the server allows at once, for everybody: `max_worker_processes`.
pub fn slots() -> usize {
    // SAFETY: reads a setting that is fixed since the server's start.
    unsafe { pg_sys::max_worker_processes as usize }
}

impl<J: Job> Crew<J> {
    /// Shared memory for a crew of `workers`, with nothing running yet.
    ///
    /// The workers will work in this database as the current user, with the settings that this
    /// session SET.
    ///
    /// # Errors
    /// 53400 when the server allows fewer workers at all, 42501 when the current user may not
    /// log in, and what the system says when there is no memory.
    pub fn create(workers: usize, arguments: &J::Arguments) -> Result<Self> {
        if workers > slots() {
            return Err(too_few_slots(workers, slots(), 0));
        }
        let user = current_user_that_may_log_in()?;
        let settings = settings::of_session()?;
        // SAFETY: plain values of this backend.
        let owner = unsafe {
            Owner {
                database: pg_sys::MyDatabaseId.to_u32(),
                user: user.to_u32(),
                leader_pid: pg_sys::MyProcPid,
            }
        };
        let board = Board::<J>::create(
            workers,
            &Letter {
                settings,
                arguments,
            },
            owner,
        )?;
        let guard = Box::into_raw(Box::new(Guard {
            handles: Vec::with_capacity(workers),
        }));
        board
            .segment
            .on_detach(end_workers, pg_sys::Datum::from(guard));
        Ok(Self { board, guard })
    }

    /// What leader and workers share.
    pub fn shared(&self) -> &J::Shared {
        self.board.shared()
    }

    /// Number of workers.
    pub fn workers(&self) -> usize {
        self.board.workers()
    }

    /// The number by which another session finds this crew (see [`super::Observer`]).
    pub fn handle(&self) -> u32 {
        self.board.segment.handle()
    }

    /// Starts all workers, or none.
    ///
    /// No worker connects to the database before all of them are registered.
    ///
    /// # Errors
    /// 53400 when the server has too few free worker slots.
    pub fn launch(&self) -> Result<()> {
        for index in 0..self.workers() {
            if !self.register(index) {
                self.board.request_stop(stop::LEADER);
                self.terminate();
                return Err(too_few_slots(self.workers(), slots(), index));
            }
        }
        self.board.open_gate();
        Ok(())
    }

    fn register(&self, index: usize) -> bool {
        let mut worker = pg_sys::BackgroundWorker {
            bgw_flags: (pg_sys::BGWORKER_SHMEM_ACCESS
                | pg_sys::BGWORKER_BACKEND_DATABASE_CONNECTION) as i32,
            bgw_start_time: pg_sys::BgWorkerStartTime::BgWorkerStart_RecoveryFinished,
            bgw_restart_time: pg_sys::BGW_NEVER_RESTART,
            bgw_main_arg: pg_sys::Datum::from(self.handle()),
            // SAFETY: the pid of this process.
            bgw_notify_pid: unsafe { pg_sys::MyProcPid },
            ..Default::default()
        };
        let name = format!("pg_tpcc {} worker {}", J::NAME, index + 1);
        fill(&mut worker.bgw_name, name.as_bytes());
        fill(&mut worker.bgw_type, name.as_bytes());
        fill(&mut worker.bgw_library_name, b"pg_tpcc");
        fill(&mut worker.bgw_function_name, J::ENTRY.to_bytes());
        fill(&mut worker.bgw_extra, index.to_string().as_bytes());
        let mut handle = std::ptr::null_mut();
        // SAFETY: the handle is allocated in TopMemoryContext, because the detach callback uses
        // it after the memory of the transaction is gone; the context is switched back.
        unsafe {
            let context = pg_sys::MemoryContextSwitchTo(pg_sys::TopMemoryContext);
            let registered = pg_sys::RegisterDynamicBackgroundWorker(&mut worker, &mut handle);
            pg_sys::MemoryContextSwitchTo(context);
            if registered {
                (*self.guard).handles.push(handle);
            }
            registered
        }
    }

    /// Looks after the workers, without waiting.
    ///
    /// # Errors
    /// The first error of a worker, with its number in front, or TC005 when one went away
    /// without leaving an error. The others go on until the crew is detached, which happens
    /// when the error is raised.
    pub fn check(&self) -> Result<Standing> {
        let mut standing = Standing::default();
        // SAFETY: the guard lives until the segment is detached, which takes `self`.
        let handles = unsafe { &(*self.guard).handles };
        for (index, (handle, seat)) in handles.iter().zip(self.board.seats()).enumerate() {
            let mut pid = 0;
            // SAFETY: a handle of this process's own, valid until the detach callback.
            let status = unsafe { pg_sys::GetBackgroundWorkerPid(*handle, &mut pid) };
            let state = seat.state.load(Ordering::Acquire);
            if state == seat::DONE {
                standing.done += 1;
            } else if state == seat::FAILED || status == pg_sys::BgwHandleStatus::BGWH_STOPPED {
                return Err(self.loss(index, seat.pid.load(Ordering::Relaxed)));
            } else if status == pg_sys::BgwHandleStatus::BGWH_POSTMASTER_DIED {
                return Err(ServerError::new(
                    SqlState::WORKER_LOST,
                    "the server is going down",
                ));
            } else {
                standing.working += 1;
                standing.ready += usize::from(state == seat::READY);
            }
        }
        Ok(standing)
    }

    fn loss(&self, index: usize, pid: i32) -> ServerError {
        match self.board.error() {
            Some((worker, mut error)) => {
                error.message = format!(
                    "pg_tpcc {} worker {}: {}",
                    J::NAME,
                    worker + 1,
                    error.message
                );
                error
            }
            None => ServerError::new(
                SqlState::WORKER_LOST,
                format!(
                    "pg_tpcc {} worker {} (process {pid}) went away before its work was done",
                    J::NAME,
                    index + 1
                ),
            )
            .hint("The server's log says why."),
        }
    }

    /// Asks the workers to stop after what they are at.
    pub fn request_stop(&self) {
        self.board.request_stop(stop::LEADER);
        self.wake();
    }

    /// Whether another session asked this crew to stop (see [`super::Observer`]).
    pub fn was_asked_to_stop(&self) -> bool {
        self.board.stop() == stop::ASKED
    }

    /// Ends the waits of the workers, so that they look again at what is shared.
    pub fn wake(&self) {
        for seat in self.board.seats() {
            let pid = seat.pid.load(Ordering::Relaxed);
            if pid != 0 {
                // SAFETY: BackendPidGetProc gives null for a process that is gone; the latch of
                // a process slot may be set at any time, a waiter at most looks up in vain.
                unsafe {
                    let proc = pg_sys::BackendPidGetProc(pid);
                    if !proc.is_null() {
                        pg_sys::SetLatch(&raw mut (*proc).procLatch);
                    }
                }
            }
        }
    }

    fn terminate(&self) {
        // SAFETY: as in `check`; a handle whose worker is gone is recognised by its generation.
        unsafe {
            for handle in &(*self.guard).handles {
                pg_sys::TerminateBackgroundWorker(*handle);
            }
        }
    }

    /// Waits for the workers to come to their end, up to `grace`; those that are not there by
    /// then are terminated, and their number is returned. No worker is left after it.
    ///
    /// # Errors
    /// As [`Crew::check`].
    pub fn drain(&self, unpinned: &Unpinned, grace: Duration) -> Result<usize> {
        let deadline = Instant::now() + grace;
        let mut left = self.check()?.working;
        while left > 0 && Instant::now() < deadline {
            unpinned.wait(Duration::from_millis(20).min(grace));
            left = self.check()?.working;
        }
        if left > 0 {
            self.board.request_stop(stop::LEADER);
            self.terminate();
        }
        // The postmaster frees a worker's slot, and tells us, when it has seen the process end.
        let deadline = Instant::now() + Duration::from_secs(2);
        while self.processes() > 0 && Instant::now() < deadline {
            unpinned.wait(Duration::from_millis(20));
        }
        Ok(left)
    }

    /// Workers whose processes are there, or to come.
    fn processes(&self) -> usize {
        // SAFETY: as in `check`.
        unsafe {
            let handles = &(*self.guard).handles;
            let is_there = |handle: &&*mut pg_sys::BackgroundWorkerHandle| {
                let status = pg_sys::GetBackgroundWorkerPid(**handle, &mut 0);
                status != pg_sys::BgwHandleStatus::BGWH_STOPPED
            };
            handles.iter().filter(is_there).count()
        }
    }

    /// Lets go of what is shared, and ends workers that are still there.
    pub fn detach(self) {
        let Self { board, .. } = self;
        board.segment.detach();
    }

    /// [`Crew::drain`] and [`Crew::detach`].
    ///
    /// # Errors
    /// As [`Crew::check`].
    pub fn finish(self, unpinned: &Unpinned, grace: Duration) -> Result<usize> {
        let left = self.drain(unpinned, grace)?;
        self.detach();
        Ok(left)
    }
}

/// Ends the workers when the leader lets go of the segment, however that comes about.
#[pg_guard]
unsafe extern "C-unwind" fn end_workers(segment: *mut pg_sys::dsm_segment, guard: pg_sys::Datum) {
    // SAFETY: called once, by dsm_detach, while the segment is still mapped; `guard` was made by
    // Box::into_raw in `create` and is not used after this. TerminateBackgroundWorker and pfree
    // raise nothing; the handles lie in TopMemoryContext.
    unsafe {
        request_stop_at(pg_sys::dsm_segment_address(segment).cast(), stop::LEADER);
        let guard = Box::from_raw(guard.cast_mut_ptr::<Guard>());
        for handle in guard.handles {
            pg_sys::TerminateBackgroundWorker(handle);
            pg_sys::pfree(handle.cast());
        }
    }
}

fn too_few_slots(wanted: usize, limit: usize, free: usize) -> ServerError {
    let (found, enough) = if wanted > limit {
        // The launcher of logical replication takes a slot; parallel queries need some.
        (format!("max_worker_processes is {limit}."), wanted + 8)
    } else {
        (
            format!("Of max_worker_processes = {limit}, {free} were free."),
            limit + wanted - free,
        )
    };
    ServerError::new(
        SqlState::CONFIGURATION_LIMIT,
        format!("{wanted} background workers are needed, and there are not as many"),
    )
    .detail(found)
    .hint(format!(
        "Ask for fewer workers, or set max_worker_processes to {enough} or more and restart the server."
    ))
}

/// The current user, who must be able to log in: that is what the workers do.
fn current_user_that_may_log_in() -> Result<pg_sys::Oid> {
    let (name, may_log_in) = catch(|| {
        Spi::connect(|client| {
            let row = client
                .select(
                    "SELECT rolname::text, rolcanlogin FROM pg_catalog.pg_roles \
                     WHERE rolname = CURRENT_USER",
                    None,
                    &[],
                )?
                .first();
            Ok::<_, spi::Error>((row.get::<String>(1)?, row.get::<bool>(2)?))
        })
        .map_err(|error| ServerError::new(SqlState::INTERNAL, error.to_string()))
    })?;
    let name = name.unwrap_or_default();
    if may_log_in != Some(true) {
        return Err(ServerError::new(
            SqlState::INSUFFICIENT_PRIVILEGE,
            format!("role \"{name}\" may not log in"),
        )
        .detail("The background workers log in as the current role.")
        .hint(format!(
            "ALTER ROLE {} LOGIN, or SET ROLE to one that has it.",
            pgrx::spi::quote_identifier(&name)
        )));
    }
    // SAFETY: reads the current user and the security context of this backend.
    unsafe {
        if pg_sys::InSecurityRestrictedOperation() {
            return Err(ServerError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                "background workers cannot be started within a security-restricted operation",
            ));
        }
        Ok(pg_sys::GetUserId())
    }
}

fn fill(to: &mut [c_char], text: &[u8]) {
    let length = text.len().min(to.len() - 1);
    for (to, from) in to.iter_mut().zip(&text[..length]) {
        *to = *from as c_char;
    }
    to[length] = 0;
}
