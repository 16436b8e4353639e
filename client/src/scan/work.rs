//! What a load of the scan's table does in one go. The server makes the rows.

use tokio_postgres::Error;
use workload::scan::Span;

use crate::connect::Session;
use crate::crew::{Count, Work};
use crate::load::query::rows;

/// What a connection does in one go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    /// Makes these rows, and the line that says that they are there.
    Chunk(Span),
    /// Vacuums the table.
    Vacuum,
}

/// The table that is made.
pub(super) struct Making<'a> {
    /// The schema as an SQL identifier.
    pub(super) quoted: &'a str,
    /// The seed of the rows.
    pub(super) seed: i64,
}

impl Work for Making<'_> {
    type Task = Task;

    fn settings(&self) -> &str {
        "SET jit = off; SET max_parallel_workers_per_gather = 0; SET application_name = 'tpcc scan load'"
    }

    async fn attempt(
        &self,
        session: &Session,
        task: &Task,
        count: &Count<'_>,
    ) -> Result<(), Error> {
        let Task::Chunk(span) = task else {
            for sql in [
                include_str!("../../../sql/scan/vacuum.sql"),
                include_str!("../../../sql/scan/vacuumed.sql"),
            ] {
                let sql = sql.replace("{schema}", self.quoted);
                session.batch_execute(&sql).await?;
            }
            return Ok(());
        };
        let sql = include_str!("../../../sql/scan/chunk.sql")
            .replace("{first}", &span.first.to_string())
            .replace("{last}", &span.last.to_string())
            .replace("{seed}", &format!("({})::bigint", self.seed))
            .replace("{schema}", self.quoted);
        session.batch_execute(&sql).await?;
        count.add(span.rows() as u64);
        Ok(())
    }

    async fn is_done(&self, session: &Session, task: &Task) -> Result<bool, Error> {
        let Task::Chunk(span) = task else {
            return Ok(false);
        };
        let line = format!(
            "SELECT FROM {}.scan_load WHERE first_row = {}",
            self.quoted, span.first
        );
        Ok(!rows(session, &line).await?.is_empty())
    }
}
