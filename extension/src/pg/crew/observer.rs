//! A look at a crew from a session that has no part in it.

use pgrx::pg_sys;

use super::super::error::Result;
use super::Job;
use super::board::{Board, Owner, stop};

/// A crew of another session, attached for a moment.
pub struct Observer<J: Job> {
    board: Board<J>,
    arguments: J::Arguments,
}

impl<J: Job> Observer<J> {
    /// The crew with this handle, or `None` when it has ended, belongs to another database, or
    /// is something else altogether. To be let go by [`Observer::detach`].
    ///
    /// # Errors
    /// What the arguments' type says when they cannot be read.
    pub fn attach(handle: u32) -> Result<Option<Self>> {
        let Some(board) = Board::<J>::attach(handle) else {
            return Ok(None);
        };
        // SAFETY: the database of this backend.
        let database = unsafe { pg_sys::MyDatabaseId.to_u32() };
        if board.owner().database != database {
            board.segment.detach();
            return Ok(None);
        }
        let arguments = board.letter()?.arguments;
        Ok(Some(Self { board, arguments }))
    }

    /// What the leader told its workers.
    pub fn arguments(&self) -> &J::Arguments {
        &self.arguments
    }

    /// What they share.
    pub fn shared(&self) -> &J::Shared {
        self.board.shared()
    }

    /// Who started it.
    pub fn owner(&self) -> Owner {
        self.board.owner()
    }

    /// Number of workers.
    pub fn workers(&self) -> usize {
        self.board.workers()
    }

    /// Whether the current user may stop it: its own role, a member of that, or a superuser.
    pub fn may_stop(&self) -> bool {
        // SAFETY: looks the two roles up; a dropped role is simply nobody's.
        unsafe {
            pg_sys::has_privs_of_role(
                pg_sys::GetUserId(),
                pg_sys::Oid::from(self.board.owner().user),
            )
        }
    }

    /// Asks the crew to stop; its leader decides what becomes of the work so far.
    pub fn request_stop(&self) {
        self.board.request_stop(stop::ASKED);
    }

    /// Lets go of it.
    pub fn detach(self) {
        self.board.segment.detach();
    }
}
