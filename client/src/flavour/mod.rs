//! Whose functions run the transactions: the extension's, or those in PL/pgSQL that the client
//! installs where no extension may be.

mod install;
mod routine;
mod terminal;

use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};
use workload::result::Flavour;

pub use install::{ensure, ensure_routines};
pub(crate) use terminal::{terminal_name, terminal_routine, width};

/// The flavour as a flag's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FlavourArg {
    /// The extension's functions.
    Native,
    /// Functions in PL/pgSQL, which the client installs in the data's schema.
    Plpgsql,
}

impl From<FlavourArg> for Flavour {
    fn from(flavour: FlavourArg) -> Flavour {
        match flavour {
            FlavourArg::Native => Flavour::Native,
            FlavourArg::Plpgsql => Flavour::Plpgsql,
        }
    }
}

/// Why a flavour cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum FlavourError {
    /// The extension was asked for and is not in the database.
    #[error(
        "the database has no extension pg_tpcc, which --flavour native needs: CREATE EXTENSION pg_tpcc, or --flavour plpgsql"
    )]
    NoExtension,
    /// There is no such schema.
    #[error("schema \"{0}\" does not exist: tpcc load --schema makes and fills it")]
    NoSchema(String),
    /// The role may not create functions in the schema.
    #[error(
        "{user} may not create functions in schema {schema}: GRANT CREATE ON SCHEMA {schema} TO {user};"
    )]
    MayNotCreate {
        /// The schema, quoted.
        schema: String,
        /// The role, quoted.
        user: String,
    },
    /// The functions are another role's, and other than this client's.
    #[error(
        "the functions in schema {schema} are of another version and belong to another role, so that {user} may not \
         renew them: their owner can, by the same command ({message})"
    )]
    NotOwner {
        /// The schema, quoted.
        schema: String,
        /// The role, quoted.
        user: String,
        /// What the server said.
        message: String,
    },
    /// The extension lives in the schema of the data: its functions have the place of ours.
    #[error(
        "schema {0} holds the functions of the extension pg_tpcc: use --flavour native, or ALTER EXTENSION pg_tpcc SET SCHEMA public;"
    )]
    ExtensionsOwn(String),
    /// The server refused a statement.
    #[error("{}", message(.0))]
    Server(#[from] tokio_postgres::Error),
}

fn message(error: &tokio_postgres::Error) -> String {
    error
        .as_db_error()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

/// The flavour that was asked for; without a wish the native one where the database has the
/// extension, else PL/pgSQL.
///
/// # Errors
/// [`FlavourError::NoExtension`], or what the server says.
pub async fn choose(client: &Client, asked: Option<Flavour>) -> Result<Flavour, FlavourError> {
    if asked == Some(Flavour::Plpgsql) {
        return Ok(Flavour::Plpgsql);
    }
    let sql = include_str!("../../../sql/plpgsql/install/extension.sql");
    let found = rows(client, sql)
        .await?
        .first()
        .is_some_and(|row| row.get(0) == Some("t"));
    match (found, asked) {
        (true, _) => Ok(Flavour::Native),
        (false, None) => Ok(Flavour::Plpgsql),
        (false, Some(_)) => Err(FlavourError::NoExtension),
    }
}

/// The names of the routines that [`ensure`] installs.
pub(crate) fn routine_names() -> impl Iterator<Item = &'static str> {
    routine::ROUTINES.iter().map(|routine| &*routine.name)
}

/// The rows of one statement by the simple protocol, which leaves no statement behind in a pooler.
async fn rows(client: &Client, sql: &str) -> Result<Vec<SimpleQueryRow>, tokio_postgres::Error> {
    let messages = client.simple_query(sql).await?;
    Ok(messages
        .into_iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        })
        .collect())
}
