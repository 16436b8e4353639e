//! The exchange of one transaction with the server, counted as it goes.

use tokio_postgres::Client;

use super::catalogue::Kind;
use super::{Application, Sql};
use crate::driver::mode::flight::in_order;
use crate::driver::mode::reply::Reply;
use crate::driver::mode::value::Value;
use crate::driver::mode::{Outcome, Seen, TransactionError};

/// What is sent to the server.
pub(in crate::driver::mode) enum Call<'a> {
    /// The start of a transaction.
    Begin,
    /// Its end. Where a statement before it has failed, the server answers with a rollback that looks
    /// like success: [`Talk::flight`] gives that statement's error.
    Commit,
    /// Its end without effect.
    Rollback,
    /// A statement with its parameters.
    Ask(Sql, Vec<Value<'a>>),
}

/// The exchange of one transaction.
pub(in crate::driver::mode) struct Talk<'a> {
    application: &'a Application,
    client: &'a Client,
    seen: &'a mut Seen,
    /// Whether there is a transaction that an error leaves behind.
    open: bool,
}

impl<'a> Talk<'a> {
    pub(in crate::driver::mode) fn new(
        application: &'a Application,
        client: &'a Client,
        seen: &'a mut Seen,
    ) -> Talk<'a> {
        Talk {
            application,
            client,
            seen,
            open: false,
        }
    }

    /// Sends one statement and waits for its answer.
    pub(in crate::driver::mode) async fn ask(
        &mut self,
        sql: Sql,
        values: &[Value<'_>],
    ) -> Result<Reply, TransactionError> {
        self.count(sql);
        let statement = &self.application.statements[sql as usize];
        let reply = statement.query(self.client, values).await?;
        self.seen.server_us += reply.server_us()?;
        Ok(reply)
    }

    /// Sends several at once and waits for all their answers; the first error is the error.
    pub(in crate::driver::mode) async fn flight(
        &mut self,
        calls: &[Call<'_>],
    ) -> Result<Vec<Reply>, TransactionError> {
        for call in calls {
            match call {
                Call::Ask(sql, _) => self.count(*sql),
                Call::Begin | Call::Commit | Call::Rollback => {
                    self.seen.other += 1;
                    self.open = matches!(call, Call::Begin);
                }
            }
        }
        let (application, client) = (self.application, self.client);
        let answers = in_order(calls.iter().map(|call| application.send(client, call))).await;
        let mut replies = Vec::with_capacity(answers.len());
        let mut error = None;
        for answer in answers {
            match answer.and_then(|reply| Ok((reply.server_us()?, reply))) {
                Ok((us, reply)) => {
                    self.seen.server_us += us;
                    replies.push(reply);
                }
                Err(failed) => error = error.or(Some(failed)),
            }
        }
        match error {
            None => Ok(replies),
            Some(error) => Err(error),
        }
    }

    /// Starts the transaction.
    pub(in crate::driver::mode) async fn begin(&mut self) -> Result<(), TransactionError> {
        self.flight(&[Call::Begin]).await.map(|_| ())
    }

    /// Ends the transaction as it came out.
    pub(in crate::driver::mode) async fn end(
        &mut self,
        result: Result<Outcome, TransactionError>,
    ) -> Result<Outcome, TransactionError> {
        match result {
            Ok(Outcome::Committed { .. }) => self.flight(&[Call::Commit]).await.and(result),
            Ok(Outcome::RolledBack) => self.flight(&[Call::Rollback]).await.and(result),
            Err(error) => Err(self.undo(error).await),
        }
    }

    /// Rolls back because of an error, unless the transaction has ended already, and gives that error.
    pub(in crate::driver::mode) async fn undo(
        &mut self,
        error: TransactionError,
    ) -> TransactionError {
        if self.open && !error.is_connection_lost() {
            // Where this fails too, the connection is gone and the server has undone everything.
            let _ = self.flight(&[Call::Rollback]).await;
        }
        error
    }

    fn count(&mut self, sql: Sql) {
        match sql.kind() {
            Kind::Read => self.seen.reads += 1,
            Kind::Write => self.seen.writes += 1,
        }
    }
}

impl Application {
    async fn send(&self, client: &Client, call: &Call<'_>) -> Result<Reply, TransactionError> {
        let control = match call {
            Call::Begin => self.begin.as_str(),
            Call::Commit => "COMMIT",
            Call::Rollback => "ROLLBACK",
            Call::Ask(sql, values) => {
                return self.statements[*sql as usize].query(client, values).await;
            }
        };
        client.batch_execute(control).await?;
        Ok(Reply::Text(Vec::new()))
    }
}
