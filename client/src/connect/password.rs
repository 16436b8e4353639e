//! Passwords: kept out of every output, found in the password file, asked for at the terminal.

use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use super::settings::SOCKET_DIRS;

/// A password, which no output shows.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Password(String);

impl Password {
    /// What the server is to get.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for Password {
    fn from(text: String) -> Password {
        Password(text)
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("***")
    }
}

/// The password file, as libpq reads it: `host:port:database:user:password` a line, `*` for any.
pub(super) struct PasswordFile {
    text: String,
}

impl PasswordFile {
    /// The file, if it is there; one that others may read is not trusted, and a warning says so.
    pub(super) fn read(path: &Path) -> Option<PasswordFile> {
        let metadata = fs::metadata(path).ok()?;
        if !metadata.is_file() {
            eprintln!(
                "WARNING: password file \"{}\" is not a plain file",
                path.display()
            );
            return None;
        }
        if metadata.permissions().mode() & 0o077 != 0 {
            eprintln!(
                "WARNING: password file \"{0}\" has group or world access and is not used; run chmod 0600 {0}",
                path.display()
            );
            return None;
        }
        let text = String::from_utf8_lossy(&fs::read(path).ok()?).into_owned();
        Some(PasswordFile { text })
    }

    /// The password of the first line that fits.
    pub(super) fn find(&self, host: &str, port: u16, dbname: &str, user: &str) -> Option<Password> {
        // The usual socket folders count as localhost.
        let host = if SOCKET_DIRS.contains(&host) {
            "localhost"
        } else {
            host
        };
        let key = [host, &port.to_string(), dbname, user];
        find(&self.text, &key).map(Password)
    }
}

fn find(text: &str, key: &[&str; 4]) -> Option<String> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| {
            let fields = split(line);
            let (pattern, rest) = fields.split_at_checked(key.len())?;
            let fits = pattern
                .iter()
                .zip(key)
                .all(|(pattern, value)| pattern == "*" || pattern == value);
            let password = rest.first().filter(|password| !password.is_empty())?;
            fits.then(|| password.clone())
        })
}

/// Splits at colons; a backslash takes the next character as it is.
fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let literal = match character {
            '\\' => characters.next(),
            ':' => {
                fields.push(String::new());
                continue;
            }
            other => Some(other),
        };
        fields.last_mut().expect("never empty").extend(literal);
    }
    fields
}

/// Whether somebody is there to be asked.
pub(super) fn can_prompt() -> bool {
    io::stdin().is_terminal()
}

/// Asks for the password at the terminal, or reads a line of standard input where there is none; what
/// is typed is not shown.
pub(super) fn prompt(user: &str) -> io::Result<Password> {
    let terminal = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/tty");
    let Ok(mut terminal) = terminal else {
        return read_line(io::stdin().lock());
    };
    let before = tcgetattr(&terminal)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&terminal, OptionalActions::Flush, &silent)?;
    // Not before, so that nothing is shown of what a quick hand types.
    let line = write!(terminal, "Password for user {user}: ")
        .and_then(|()| read_line(BufReader::new(&terminal)));
    tcsetattr(&terminal, OptionalActions::Flush, &before)?;
    writeln!(terminal)?;
    line
}

fn read_line(mut from: impl BufRead) -> io::Result<Password> {
    let mut line = String::new();
    if from.read_line(&mut line)? == 0 {
        return Err(io::Error::other("no password was given"));
    }
    if line.ends_with('\n') {
        line.pop();
        if line.ends_with('\r') {
            line.pop();
        }
    }
    Ok(Password(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let text = "# mine\nother:*:*:*:no\nhost:5432:*:ann:a\\:b\n*:*:*:*:last\n";
        assert_eq!(
            find(text, &["host", "5432", "shop", "ann"]),
            Some("a:b".into())
        );
        assert_eq!(
            find(text, &["host", "1", "shop", "ann"]),
            Some("last".into())
        );
        assert_eq!(find("host:1:2\n", &["host", "1", "2", "3"]), None);
    }

    #[test]
    fn the_usual_socket_is_localhost_and_another_is_its_path() {
        let file = PasswordFile {
            text: "localhost:*:*:*:near\n/run/x:*:*:*:path\n\\:\\:1:*:*:*:six\n".into(),
        };
        let find = |host| file.find(host, 1, "d", "u").map(|p| p.reveal().to_owned());
        assert_eq!(find("/tmp").as_deref(), Some("near"));
        assert_eq!(find("/run/x").as_deref(), Some("path"));
        assert_eq!(find("::1").as_deref(), Some("six"));
        assert_eq!(find("/run/y"), None);
    }

    #[test]
    fn a_line_is_the_password_with_its_spaces() {
        assert_eq!(read_line(&b" a b \r\n"[..]).unwrap().reveal(), " a b ");
        assert!(read_line(&b""[..]).is_err());
    }

    #[test]
    fn debug_output_does_not_show_it() {
        assert_eq!(format!("{:?}", Password("secret".into())), "***");
    }
}
