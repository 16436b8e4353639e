//! What the server and the role allow.

use super::ProbeError;
use crate::connect::Session;

const LIMITS: &str = include_str!("../../../sql/probe/limits.sql");

/// What the server and the role allow.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The server's version.
    pub version: String,
    /// Nothing can be written.
    pub read_only: bool,
    /// The role may make a schema in this database.
    pub may_create: bool,
    /// The role may make temporary tables in it.
    pub may_temp: bool,
    /// Whether a commit waits for the disk at all.
    pub fsync: bool,
    /// Whether the server is reached over a socket of its machine.
    pub unix_socket: bool,
    /// How many connections there may be, and what says so.
    pub connections: Room,
}

/// Connections that are left for a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// How many.
    pub left: u32,
    /// Which limit that is, in words.
    pub reason: String,
}

impl Limits {
    /// Asks the server.
    ///
    /// # Errors
    /// What the server says.
    pub async fn ask(session: &Session) -> Result<Limits, ProbeError> {
        let row = session.query_typed_one(LIMITS, &[]).await?;
        let number = |column: &str| row.try_get::<_, i32>(column);
        let limit = |column: &str| row.try_get::<_, Option<i32>>(column);
        let (most, reserved, used) = (
            number("max_connections")?,
            number("reserved")?,
            number("used")?,
        );
        let mut rooms = vec![room(
            most - reserved - used,
            format!("max_connections is {most}, less {reserved} reserved and {used} in use"),
        )];
        for (owner, limit, used) in [
            ("role", limit("role_limit")?, number("used_by_role")?),
            (
                "database",
                limit("database_limit")?,
                number("used_in_database")?,
            ),
        ] {
            if let Some(limit) = limit {
                let reason =
                    format!("the {owner}'s CONNECTION LIMIT is {limit}, less {used} in use");
                rooms.push(room(limit - used, reason));
            }
        }
        let connections = rooms.into_iter().min_by_key(|room| room.left);
        Ok(Limits {
            version: row.try_get("version")?,
            read_only: row.try_get("read_only")?,
            may_create: row.try_get("may_create")?,
            may_temp: row.try_get("may_temp")?,
            fsync: row.try_get("fsync")?,
            unix_socket: row.try_get("unix_socket")?,
            connections: connections.unwrap_or_else(|| room(1, String::new())),
        })
    }
}

/// At least one: it is tried in any case.
fn room(left: i32, reason: String) -> Room {
    Room {
        left: u32::try_from(left).unwrap_or(0).max(1),
        reason,
    }
}
