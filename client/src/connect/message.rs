//! What the server says, for people.

/// The message as `psql` shows it, with detail, hint and SQLSTATE.
pub fn server_message(error: &tokio_postgres::Error) -> String {
    let Some(db) = error.as_db_error() else {
        return error.to_string();
    };
    let mut text = format!(
        "{}:  {} ({})",
        db.severity(),
        db.message(),
        db.code().code()
    );
    for (name, part) in [("DETAIL", db.detail()), ("HINT", db.hint())] {
        if let Some(part) = part {
            text.push_str(&format!("\n{name}:  {part}"));
        }
    }
    text
}
