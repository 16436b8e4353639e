//! Dynamic shared memory: one segment, created by a leader and attached by its workers.

use std::ptr::NonNull;

use pgrx::pg_sys;

use super::error::{Result, ServerError, SqlState, catch};

/// A mapped segment.
///
/// There is no `Drop`: PostgreSQL itself detaches a leader's segment when its transaction ends
/// by an error, and a worker's when it exits; a normal end calls [`Segment::detach`].
pub struct Segment {
    raw: NonNull<pg_sys::dsm_segment>,
}

impl Segment {
    /// A new segment of `bytes` zero bytes, owned by the current resource owner.
    ///
    /// # Errors
    /// What the system says when there is no room (`/dev/shm` is 64 MB in many containers),
    /// with the size that was asked for.
    pub fn create(bytes: usize) -> Result<Self> {
        // SAFETY: runs in a transaction, so that there is a resource owner to give it to.
        let raw = catch(|| Ok(unsafe { pg_sys::dsm_create(bytes, 0) })).map_err(|error| {
            let message = format!(
                "could not create {bytes} bytes of dynamic shared memory: {}",
                error.message
            );
            ServerError { message, ..error }.hint(
                "In a container, give it a larger /dev/shm (docker run --shm-size=256m); \
                 elsewhere look at dynamic_shared_memory_type and at the file system it uses.",
            )
        })?;
        let raw = NonNull::new(raw)
            .ok_or_else(|| ServerError::new(SqlState::INTERNAL, "dsm_create gave no segment"))?;
        let segment = Self { raw };
        // SAFETY: the mapping is `bytes` long or longer, writable, and nobody else knows it yet.
        unsafe { segment.base().write_bytes(0, bytes) };
        Ok(segment)
    }

    /// Maps the segment that another process created, or `None` when it exists no longer or is
    /// mapped here already.
    pub fn attach(handle: u32) -> Option<Self> {
        // SAFETY: any number may be asked for; an unknown one gives null. A segment that is
        // mapped in this process already would raise an error, so that is looked up before.
        let raw = unsafe {
            if pg_sys::dsm_find_mapping(handle).is_null() {
                pg_sys::dsm_attach(handle)
            } else {
                std::ptr::null_mut()
            }
        };
        NonNull::new(raw).map(|raw| Self { raw })
    }

    /// The number by which other processes attach it.
    pub fn handle(&self) -> u32 {
        // SAFETY: `raw` is mapped as long as `self` lives.
        unsafe { pg_sys::dsm_segment_handle(self.raw.as_ptr()) }
    }

    /// The first byte; page aligned.
    pub fn base(&self) -> *mut u8 {
        // SAFETY: as above.
        unsafe { pg_sys::dsm_segment_address(self.raw.as_ptr()).cast() }
    }

    /// Mapped bytes.
    pub fn len(&self) -> usize {
        // SAFETY: as above.
        unsafe { pg_sys::dsm_segment_map_length(self.raw.as_ptr()) }
    }

    /// Calls `callback(segment, argument)` when this process detaches the segment: by
    /// [`Segment::detach`], at the abort of the transaction, or at the exit of the process.
    pub fn on_detach(
        &self,
        callback: unsafe extern "C-unwind" fn(*mut pg_sys::dsm_segment, pg_sys::Datum),
        argument: pg_sys::Datum,
    ) {
        // SAFETY: the callback is a plain function of the library, which is never unloaded.
        unsafe { pg_sys::on_dsm_detach(self.raw.as_ptr(), Some(callback), argument) }
    }

    /// Unmaps it; the last process to do so destroys it.
    pub fn detach(self) {
        // SAFETY: `self` is the only owner of the mapping in this process and is gone after it.
        unsafe { pg_sys::dsm_detach(self.raw.as_ptr()) }
    }
}
