//! Who runs the logic of a transaction, seen from one connection: an [`Executor`] is made once a
//! connection and then executes one input after another.
//!
//! A file a mode. Each leaves the connection outside of a transaction, whatever happened.

mod application;
mod error;
mod flight;
mod isolation;
mod numeric;
mod pipelined;
mod reply;
mod script;
mod script_call;
mod statement;
mod statements;
mod terminal_call;
mod udf;
mod value;

use std::sync::Arc;

use tokio_postgres::Client;
use workload::Input;
use workload::result::{Flavour, Mode, StatementCounts};
use workload::script::Script;

pub use error::{TransactionError, pooler_hint};
pub(in crate::driver) use isolation::set as set_isolation;
pub use pipelined::Pipelined;
pub use script::Scripted;
pub use script_call::ScriptCall;
pub use statements::Statements;
pub use terminal_call::{Batch, BatchOutcome, Done, Ending, TerminalCall};
pub use udf::Udf;

/// How statements are sent, as in pgbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Protocol {
    /// As text with the values in it, parsed each time.
    Simple,
    /// With parameters, parsed and planned each time.
    Extended,
    /// Prepared once a connection.
    #[default]
    Prepared,
}

impl Protocol {
    /// The name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Simple => "simple",
            Protocol::Extended => "extended",
            Protocol::Prepared => "prepared",
        }
    }
}

/// What an executor must know before its first transaction.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The schema of the nine tables; not quoted.
    pub schema: String,
    /// Whose functions are called.
    pub flavour: Flavour,
    /// How statements are sent.
    pub protocol: Protocol,
    /// The isolation level as SQL spells it, such as `read committed`.
    pub isolation: String,
    /// What is sent, in a workload other than TPC-C.
    pub script: Option<Arc<dyn Script>>,
}

/// What became of a transaction; a [`TransactionError`] is the `Err` beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Done, and lasting.
    Committed {
        /// Districts in which a Delivery found nothing to deliver (clause 2.7.4.2).
        skipped_districts: u32,
    },
    /// A New-Order with an unused item, undone as it should be (clause 2.4.1.4).
    RolledBack,
}

impl Outcome {
    /// Done, with nothing more to tell.
    pub const COMMITTED: Outcome = Outcome::Committed {
        skipped_districts: 0,
    };
}

/// What was seen while a transaction went on; an executor adds to it, in success and in failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// The server's own time in microseconds, as far as the server tells it.
    pub server_us: u64,
    /// Statements that read: SELECT.
    pub reads: u64,
    /// Statements that write: INSERT, UPDATE, DELETE, and calls of functions that do.
    pub writes: u64,
    /// Statements around them: BEGIN, COMMIT, ROLLBACK.
    pub other: u64,
}

impl Seen {
    /// The statements as a document counts them.
    pub fn statements(&self) -> StatementCounts {
        StatementCounts {
            reads: self.reads,
            writes: self.writes,
            other: self.other,
        }
    }
}

/// The transactions of one connection in one mode.
pub enum Executor {
    /// One call a transaction.
    Udf(Udf),
    /// Statement by statement.
    Statements(Statements),
    /// Independent statements together.
    Pipelined(Pipelined),
    /// Any of the three, of a workload other than TPC-C.
    Script(Scripted),
}

impl Executor {
    /// Prepares what the mode needs on this connection.
    ///
    /// # Errors
    /// What the server says.
    pub async fn new(
        mode: Mode,
        setup: &Setup,
        client: &Client,
    ) -> Result<Executor, TransactionError> {
        if let Some(script) = &setup.script {
            let scripted = Scripted::new(mode, script, setup, client).await?;
            return Ok(Executor::Script(scripted));
        }
        match mode {
            Mode::Udf => Udf::new(setup, client).await.map(Executor::Udf),
            Mode::Statements => Statements::new(setup, client)
                .await
                .map(Executor::Statements),
            Mode::Pipelined => Pipelined::new(setup, client).await.map(Executor::Pipelined),
            Mode::Server => {
                unreachable!("mode server has no executor: its transactions go in batches")
            }
        }
    }

    /// Runs one transaction to its end.
    ///
    /// # Errors
    /// What the server says, or a row that is missing; the transaction is rolled back then. A lost
    /// connection is told at once.
    pub async fn execute(
        &mut self,
        client: &Client,
        input: &Input,
        seen: &mut Seen,
    ) -> Result<Outcome, TransactionError> {
        match (self, input) {
            (Executor::Udf(udf), Input::Tpcc(input)) => udf.execute(client, input, seen).await,
            (Executor::Statements(statements), Input::Tpcc(input)) => {
                statements.execute(client, input, seen).await
            }
            (Executor::Pipelined(pipelined), Input::Tpcc(input)) => {
                pipelined.execute(client, input, seen).await
            }
            (Executor::Script(scripted), Input::Script(transaction)) => {
                scripted.execute(client, transaction, seen).await
            }
            _ => unreachable!("a connection's executor and terminal are of one plan"),
        }
    }
}
