//! Which types may lie in memory that several processes share.

/// A type that may lie in dynamic shared memory.
///
/// # Safety
/// Every field is an atomic (or an array or struct of atomics) in `repr(C)`; all bits zero are a
/// valid value; it holds no pointer, reference, handle or lock of one process, and has nothing to
/// drop.
pub unsafe trait Shared: Sync + Sized + 'static {}
