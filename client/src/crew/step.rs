//! What follows the rows: keys, vacuum, statistics.

use tokio_postgres::{Client, Error};
use workload::schema::script::literal;

use crate::load::query::rows;

/// A statement of a load that stands by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// The statement.
    pub(crate) sql: String,
    /// Finds a row when it is done; none where it may be done twice.
    there: Option<String>,
}

impl Step {
    /// A statement that may be done twice.
    pub(crate) fn any_time(sql: String) -> Step {
        Step { sql, there: None }
    }

    /// A statement that makes a constraint of this name in a schema.
    pub(crate) fn constraint(schema: &str, name: &str, sql: String) -> Step {
        let there = format!(
            "SELECT FROM pg_catalog.pg_constraint c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace \
             WHERE n.nspname = {} AND c.conname = {}",
            literal(schema),
            literal(name)
        );
        Step {
            sql,
            there: Some(there),
        }
    }

    /// A statement that makes an index of this name in a schema.
    pub(crate) fn index(schema: &str, name: &str, sql: String) -> Step {
        let there = format!(
            "SELECT FROM pg_catalog.pg_index i \
             JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = {} AND c.relname = {} AND i.indisvalid",
            literal(schema),
            literal(name)
        );
        Step {
            sql,
            there: Some(there),
        }
    }

    /// Does it, unless it is done.
    ///
    /// # Errors
    /// What the server says.
    pub(crate) async fn run(&self, client: &Client) -> Result<(), Error> {
        if self.is_done(client).await? {
            return Ok(());
        }
        client.batch_execute(&self.sql).await
    }

    /// Whether it is done, by whomever.
    ///
    /// # Errors
    /// What the server says.
    pub(crate) async fn is_done(&self, client: &Client) -> Result<bool, Error> {
        match &self.there {
            Some(there) => Ok(!rows(client, there).await?.is_empty()),
            None => Ok(false),
        }
    }
}
