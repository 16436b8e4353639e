//! The throw-away cluster that the tests in `tests/` share.
