//! The schema with the data: its name ([`quote_identifier`]), sets of it ([`SetArgs`]) and what is in it
//! ([`inspect`]).

mod inspect;
mod name;
mod set;

pub use inspect::{Data, DataError, inspect};
pub(crate) use inspect::{mending, relations, schema_exists, schema_flag};

pub use name::quote_identifier;
pub use set::SetArgs;
pub(crate) use set::valid_name;
