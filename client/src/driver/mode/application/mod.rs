//! What the modes whose logic runs in the client share: their statements, how these are sent, and what
//! the application works out between them.

mod catalogue;
pub(super) mod names;
mod order;
mod payment;
mod talk;

use tokio_postgres::Client;

use super::statement::Statement;
use super::{Setup, TransactionError, isolation};
use crate::schema::quote_identifier;

pub(super) use catalogue::Sql;
pub(super) use order::Order;
pub(super) use payment::{bad_credit_data, history_data, middle};
pub(super) use talk::{Call, Talk};

/// The statements of a connection, ready to be sent.
pub(super) struct Application {
    begin: String,
    statements: Vec<Statement>,
}

impl Application {
    pub(super) async fn new(
        setup: &Setup,
        client: &Client,
    ) -> Result<Application, TransactionError> {
        let begin = isolation::begin(client, &setup.isolation).await?;
        let schema = quote_identifier(&setup.schema);
        let placeholders = [("{schema}", schema.as_str())];
        let definitions = catalogue::CATALOGUE
            .iter()
            .map(|(_, definition)| definition);
        let statements = Statement::all(client, setup.protocol, definitions, &placeholders).await?;
        Ok(Application { begin, statements })
    }
}
