//! How a schema is made: its tables, keys and indexes as statements and jobs, and what it remembers of
//! its loads. The extension and the client share this, so that either goes on where the other stopped.

pub mod checks;
pub mod costs;
mod fillfactors;
pub mod lock;
mod part;
pub mod script;
mod state;

pub use fillfactors::Fillfactors;
pub use part::Part;
pub use state::{Loaded, Scale, Unit};
