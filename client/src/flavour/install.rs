//! Installs the routines of the PL/pgSQL flavour into the schema of the data.

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;
use workload::schema::script::literal;
use workload::script::Routine;

use super::routine::{ROUTINES, body, fill, placeholders, signature, statement};
use super::{FlavourError, rows};
use crate::connect::BEGIN_SAFELY;
use crate::schema::quote_identifier;

/// A routine of one of our names that the schema has.
struct Installed {
    name: String,
    /// As `DROP` takes it.
    called: String,
    signature: String,
    body: String,
    has_settings: bool,
    of_an_extension: bool,
}

/// What is to be done about a schema.
struct Changes<'a> {
    drop: Vec<String>,
    create: Vec<&'a Routine>,
}

/// Installs the routines in the schema of the data, or renews those that are other than this client's.
///
/// Nothing is written where all are current, so that a role without rights to create may run too. Else
/// all changes are made in one transaction, and by one client at a time.
///
/// # Errors
/// No such schema, no right to create in it, another owner's routines, or what the server says.
pub async fn ensure(client: &Client, schema: &str) -> Result<(), FlavourError> {
    ensure_routines(client, schema, ROUTINES).await
}

/// The same for any routines.
///
/// # Errors
/// As [`ensure`].
pub async fn ensure_routines(
    client: &Client,
    schema: &str,
    routines: &[Routine],
) -> Result<(), FlavourError> {
    client.batch_execute(BEGIN_SAFELY).await?;
    let looked = async {
        Ok::<_, FlavourError>(match changes(client, schema, routines).await?.is_empty() {
            true => None,
            false => Some(may_create(client, schema).await?),
        })
    };
    let looked = looked.await;
    let Ok(Some(user)) = looked else {
        client.batch_execute("ROLLBACK").await?;
        return looked.map(|_| ());
    };
    let renewed = renew(client, schema, routines).await;
    let end = if renewed.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    let ended = client.batch_execute(end).await;
    renewed.map_err(|error| refused(error, schema, user))?;
    Ok(ended?)
}

impl Changes<'_> {
    fn is_empty(&self) -> bool {
        self.drop.is_empty() && self.create.is_empty()
    }
}

/// Looks again under the lock: another client may have done the work by then.
async fn renew(client: &Client, schema: &str, routines: &[Routine]) -> Result<(), FlavourError> {
    let lock = include_str!("../../../sql/plpgsql/install/lock.sql");
    client
        .batch_execute(&fill(lock, &placeholders(schema)))
        .await?;
    let changes = changes(client, schema, routines).await?;
    for called in &changes.drop {
        client.batch_execute(&format!("DROP {called}")).await?;
    }
    for routine in &changes.create {
        client.batch_execute(&statement(routine, schema)).await?;
    }
    Ok(())
}

async fn changes<'a>(
    client: &Client,
    schema: &str,
    routines: &'a [Routine],
) -> Result<Changes<'a>, FlavourError> {
    let installed = installed(client, schema, routines).await?;
    if installed.iter().any(|routine| routine.of_an_extension) {
        return Err(FlavourError::ExtensionsOwn(quote_identifier(schema)));
    }
    let fits = |ours: &Routine, theirs: &Installed| {
        theirs.name == ours.name && theirs.signature == signature(ours)
    };
    let mut drop = Vec::new();
    for theirs in &installed {
        // What is called the same with other arguments or columns is ours of another version.
        if !routines.iter().any(|ours| fits(ours, theirs)) {
            drop.push(theirs.called.clone());
        }
    }
    let current = |ours: &&Routine| {
        installed.iter().any(|theirs| {
            fits(ours, theirs) && theirs.body == body(ours, schema) && !theirs.has_settings
        })
    };
    let create = routines.iter().filter(|ours| !current(ours)).collect();
    Ok(Changes { drop, create })
}

async fn installed(
    client: &Client,
    schema: &str,
    routines: &[Routine],
) -> Result<Vec<Installed>, FlavourError> {
    let names: Vec<String> = routines
        .iter()
        .map(|routine| literal(&routine.name))
        .collect();
    let mut values = placeholders(schema).to_vec();
    values.push(("{names}", names.join(", ")));
    let sql = include_str!("../../../sql/plpgsql/install/installed.sql");
    let rows = rows(client, &fill(sql, &values)).await?;
    let installed = rows.iter().map(|row| {
        let text = |column: usize| row.get(column).unwrap_or_default().to_owned();
        Installed {
            name: text(0),
            called: text(1),
            signature: text(2),
            body: text(3),
            has_settings: text(4) == "t",
            of_an_extension: text(5) == "t",
        }
    });
    Ok(installed.collect())
}

/// The current user, who may create in the schema.
async fn may_create(client: &Client, schema: &str) -> Result<String, FlavourError> {
    let sql = include_str!("../../../sql/plpgsql/install/rights.sql");
    let rows = rows(client, &fill(sql, &placeholders(schema))).await?;
    let Some(row) = rows.first() else {
        return Err(FlavourError::NoSchema(schema.to_owned()));
    };
    let user = row.get(1).unwrap_or_default().to_owned();
    if row.get(0) == Some("t") {
        Ok(user)
    } else {
        Err(FlavourError::MayNotCreate {
            schema: quote_identifier(schema),
            user,
        })
    }
}

fn refused(error: FlavourError, schema: &str, user: String) -> FlavourError {
    match error {
        FlavourError::Server(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            FlavourError::NotOwner {
                schema: quote_identifier(schema),
                user,
                message: super::message(&error),
            }
        }
        error => error,
    }
}
