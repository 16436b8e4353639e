//! One SQL statement of a transaction, sent in any of the protocols.

use std::borrow::Cow;
use std::pin::pin;

use futures_util::TryStreamExt;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, SimpleQueryMessage};

use super::flight::in_order;
use super::reply::Reply;
use super::value::Value;
use super::{Protocol, TransactionError};

/// A statement as it is written in `sql/`.
pub(super) struct Definition {
    /// Its text, with comments and placeholders.
    pub(super) sql: &'static str,
    /// The types of its parameters, as its comment tells them: with them the server is asked for none.
    pub(super) types: Cow<'static, [Type]>,
}

/// A statement ready to be sent on one connection.
pub(super) struct Statement {
    types: Cow<'static, [Type]>,
    way: Way,
}

enum Way {
    Simple(Template),
    Extended(String),
    Prepared(tokio_postgres::Statement),
}

impl Statement {
    /// Makes statements ready in one round trip.
    pub(super) async fn all(
        client: &Client,
        protocol: Protocol,
        definitions: impl Iterator<Item = &Definition>,
        placeholders: &[(&str, &str)],
    ) -> Result<Vec<Statement>, TransactionError> {
        let made = definitions
            .map(|definition| Statement::new(client, protocol, definition, placeholders));
        in_order(made).await.into_iter().collect()
    }

    /// Makes the statement ready: in the prepared protocol, prepares it.
    pub(super) async fn new(
        client: &Client,
        protocol: Protocol,
        definition: &Definition,
        placeholders: &[(&str, &str)],
    ) -> Result<Statement, TransactionError> {
        let bare = without_comments(definition.sql);
        let sql = fill(&bare, placeholders);
        let way = match protocol {
            Protocol::Simple => Way::Simple(Template::new(&bare, placeholders)),
            Protocol::Extended => Way::Extended(sql),
            Protocol::Prepared => {
                Way::Prepared(client.prepare_typed(&sql, &definition.types).await?)
            }
        };
        Ok(Statement {
            types: definition.types.clone(),
            way,
        })
    }

    /// Sends the statement, at the first poll, and gives its rows.
    pub(super) async fn query(
        &self,
        client: &Client,
        values: &[Value<'_>],
    ) -> Result<Reply, TransactionError> {
        match &self.way {
            Way::Simple(template) => {
                let messages = client.simple_query(&template.fill(values)).await?;
                let rows = messages.into_iter().filter_map(|message| match message {
                    SimpleQueryMessage::Row(row) => Some(row),
                    _ => None,
                });
                Ok(Reply::Text(rows.collect()))
            }
            Way::Extended(sql) => {
                let parameters = parameters(values).zip(self.types.iter().cloned());
                let stream = pin!(client.query_typed_raw(sql, parameters).await?);
                Ok(Reply::Binary(stream.try_collect().await?))
            }
            Way::Prepared(statement) => {
                let stream = pin!(client.query_raw(statement, parameters(values)).await?);
                Ok(Reply::Binary(stream.try_collect().await?))
            }
        }
    }

    /// The same with the last row alone, which is all that a reader of many rows needs who looks at none of them.
    pub(super) async fn last(
        &self,
        client: &Client,
        values: &[Value<'_>],
    ) -> Result<Reply, TransactionError> {
        let Way::Prepared(statement) = &self.way else {
            return self.query(client, values).await;
        };
        let mut stream = pin!(client.query_raw(statement, parameters(values)).await?);
        let mut last = None;
        while let Some(row) = stream.try_next().await? {
            last = Some(row);
        }
        Ok(Reply::Binary(Vec::from_iter(last)))
    }
}

fn parameters<'a>(
    values: &'a [Value<'a>],
) -> impl ExactSizeIterator<Item = &'a (dyn ToSql + Sync)> + use<'a> {
    values.iter().map(|value| value as &(dyn ToSql + Sync))
}

/// The statement without its comments, which name the parameters too.
fn without_comments(sql: &str) -> String {
    let lines: Vec<&str> = sql
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect();
    lines.join("\n")
}

fn fill(sql: &str, placeholders: &[(&str, &str)]) -> String {
    placeholders
        .iter()
        .fold(sql.to_owned(), |sql, (name, value)| {
            sql.replace(name, value)
        })
}

/// A statement cut at its parameters, for the protocol that has none.
struct Template {
    /// A text, and the number of the parameter after it, from 0.
    parts: Vec<(String, usize)>,
    rest: String,
}

impl Template {
    /// Cuts before it fills the placeholders: a schema's name may look like a parameter.
    fn new(sql: &str, placeholders: &[(&str, &str)]) -> Template {
        let mut parts = Vec::new();
        let mut rest = sql;
        let mut before = String::new();
        while let Some((left, right)) = rest.split_once('$') {
            before.push_str(left);
            let digits = right.bytes().take_while(u8::is_ascii_digit).count();
            match right[..digits].parse::<usize>() {
                Ok(number @ 1..) => {
                    parts.push((fill(&before, placeholders), number - 1));
                    before.clear();
                }
                _ => {
                    before.push('$');
                    before.push_str(&right[..digits]);
                }
            }
            rest = &right[digits..];
        }
        before.push_str(rest);
        Template {
            parts,
            rest: fill(&before, placeholders),
        }
    }

    fn fill(&self, values: &[Value<'_>]) -> String {
        let mut sql = String::with_capacity(512);
        for (before, number) in &self.parts {
            sql.push_str(before);
            values[*number].write_literal(&mut sql);
        }
        sql.push_str(&self.rest);
        sql
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACEHOLDERS: [(&str, &str); 1] = [("{schema}", "\"my $1\"")];

    #[test]
    fn comments_go_and_placeholders_are_filled() {
        let sql = "-- $1 int4 warehouse\nSELECT 1\nFROM {schema}.warehouse\n";
        let filled = fill(&without_comments(sql), &PLACEHOLDERS);
        assert_eq!(filled, "SELECT 1\nFROM \"my $1\".warehouse");
    }

    #[test]
    fn parameters_are_told_apart() {
        let template = Template::new("SELECT $1, $11, $2 FROM {schema}.item", &PLACEHOLDERS);
        let mut values = [Value::Int(0); 11];
        values[0] = Value::Text("it's $2");
        values[10] = Value::Int(7);
        assert_eq!(
            template.fill(&values),
            "SELECT 'it''s $2', 7, 0 FROM \"my $1\".item"
        );
    }
}
