//! A crew: a leader (the backend that was called) and its dynamic background workers, which
//! work in transactions of their own as the calling role.
//!
//! How to use it:
//!
//! 1. A struct of atomics for what leader and workers share, and `unsafe impl Shared` for it in
//!    `pg/entries.rs` (the only place where that can be said).
//! 2. A type that implements [`Job`]: its arguments (any serde type), the shared struct, and
//!    `work`, which runs in each worker, connected to the caller's database, outside of a
//!    transaction. It does its work by [`super::xact::transaction`] and looks at
//!    [`Worker::should_stop`] between transactions.
//! 3. The exported entry function in `pg/entries.rs`, one line a job.
//! 4. In the leader:
//!    ```text
//!    let unpinned = Unpinned::begin("SELECT * FROM tpcc_load(...)")?;
//!    let crew = Crew::<LoadJob>::create(workers, &arguments)?;   // nothing runs yet
//!    crew.shared().next.store(...);                              // fill what is shared
//!    crew.launch()?;                                             // all of them, or none
//!    while crew.check()?.working > 0 {                           // Err: a worker failed or died
//!        report progress...
//!        unpinned.wait(Duration::from_millis(100));              // interrupts are served here
//!    }
//!    crew.finish(&unpinned, grace)?;
//!    ```
//!
//! However the leader ends, its workers end: when the leader's segment is detached (by `finish`,
//! at the abort of the transaction, at the exit of the process) the stop flag is set and every
//! worker is told to terminate. A `Crew` needs no `Drop` for that.

mod board;
mod leader;
mod observer;
mod worker;

pub use leader::{Crew, slots};
pub use observer::Observer;
pub use worker::{Worker, serve};

use std::ffi::CStr;

use serde::{Serialize, de::DeserializeOwned};

use super::error::Result;
pub use super::shared::Shared;

/// What the workers of a crew do.
pub trait Job: Sized + 'static {
    /// One word that tells jobs apart and names the workers: "run" gives `pg_tpcc run worker 3`.
    const NAME: &'static str;
    /// The exported function of the library that calls [`serve`] with this job.
    const ENTRY: &'static CStr;
    /// What the leader tells its workers before they start.
    type Arguments: Serialize + DeserializeOwned;
    /// What they share while they work.
    type Shared: Shared;

    /// The work of one worker, from its start to its end.
    ///
    /// # Errors
    /// An error ends the whole crew; the leader raises it.
    fn work(worker: &Worker<Self>) -> Result<()>;
}
