//! All parameters of a connection, from wherever each comes.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::service::ServiceFiles;
use super::{ConnectError, conninfo, keyword};

/// Where a parameter stands, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Flag,
    Text,
    Service,
    Variable(&'static str),
}

/// Parameters by libpq's keywords; what comes first stays: flags, the connection string, the service
/// file, the variables of the environment.
#[derive(Clone, Default)]
pub(super) struct Parameters {
    values: BTreeMap<String, (String, Origin)>,
}

/// The outer world, as far as it says where and how to connect.
pub(super) struct Surroundings<'a> {
    /// A variable of the environment that is set and not empty.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
}

impl Parameters {
    /// `flags` by keyword; `dbname` may be a connection string or a URI.
    ///
    /// # Errors
    /// A part is malformed, unknown or not supported.
    pub(super) fn collect(
        flags: &[(&str, Option<String>)],
        dbname: Option<&str>,
        around: &Surroundings<'_>,
    ) -> Result<Parameters, ConnectError> {
        let mut all = Parameters::default();
        for (name, value) in flags {
            if let Some(value) = value {
                all.add(name, value, Origin::Flag);
            }
        }
        if let Some(text) = dbname {
            match conninfo::parse(text)? {
                // Said twice in a string, the last counts.
                Some(pairs) => {
                    for (name, value) in pairs.iter().rev() {
                        all.add(name, value, Origin::Text);
                    }
                }
                None => all.add("dbname", text, Origin::Flag),
            }
        }
        let service = all.text("service").map(str::to_owned);
        if let Some(service) = service.or_else(|| (around.variable)("PGSERVICE")) {
            for (name, value) in all.service_files(around).find(&service)? {
                all.add(&name, &value, Origin::Service);
            }
        }
        for (variable, name) in keyword::VARIABLES {
            if let Some(value) = (around.variable)(variable) {
                all.add(name, &value, Origin::Variable(variable));
            }
        }
        for (name, (value, _)) in &all.values {
            keyword::check_use(name, value)?;
            if value.contains('\0') {
                return Err(ConnectError::parameter(format!(
                    "{name} has a zero byte in it"
                )));
            }
        }
        Ok(all)
    }

    fn service_files(&self, around: &Surroundings<'_>) -> ServiceFiles {
        let named = self.text("servicefile").map(str::to_owned);
        let named = named.or_else(|| (around.variable)("PGSERVICEFILE"));
        let mut usual = Vec::new();
        if named.is_none() {
            usual.extend(
                around
                    .home
                    .as_ref()
                    .map(|home| home.join(".pg_service.conf")),
            );
        }
        let system = (around.variable)("PGSYSCONFDIR").map_or_else(
            // Debian's, which is what most have.
            || PathBuf::from("/etc/postgresql-common"),
            PathBuf::from,
        );
        usual.push(system.join("pg_service.conf"));
        ServiceFiles {
            named: named.map(PathBuf::from),
            usual,
        }
    }

    fn add(&mut self, name: &str, value: &str, origin: Origin) {
        self.values
            .entry(name.to_owned())
            .or_insert_with(|| (value.to_owned(), origin));
    }

    /// A parameter that has a value other than the empty one.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let (value, _) = self.values.get(name)?;
        (!value.is_empty()).then_some(value)
    }

    /// One of the words that a parameter may be.
    ///
    /// # Errors
    /// It is another one.
    pub(super) fn word<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
        default: T,
    ) -> Result<T, ConnectError> {
        let Some(value) = self.text(name) else {
            return Ok(default);
        };
        let found = words.iter().find(|(word, _)| *word == value);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.wrong(name, &format!("expected {}", words.join(", ")))
        })
    }

    /// A whole number.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn number(&self, name: &str) -> Result<Option<i32>, ConnectError> {
        self.text(name)
            .map(|text| {
                text.trim()
                    .parse()
                    .map_err(|_| self.wrong(name, "expected a whole number"))
            })
            .transpose()
    }

    /// The complaint about a parameter's value.
    pub(super) fn wrong(&self, name: &str, expected: &str) -> ConnectError {
        let Some((value, origin)) = self.values.get(name) else {
            return ConnectError::parameter(format!("{name}: {expected}"));
        };
        ConnectError::Parameter(match origin {
            // Quoting could show a piece of a password that was not encoded as it should be.
            Origin::Text if name == "port" => format!(
                "the connection string has a port that is none: {expected}; @ : / ? % in a \
                 password are written as %40 %3A %2F %3F %25 in a URI"
            ),
            Origin::Text => format!("{name} is \"{value}\" in the connection string: {expected}"),
            Origin::Flag => format!("{name} is \"{value}\": {expected}"),
            Origin::Service => format!("{name} is \"{value}\" in the service file: {expected}"),
            Origin::Variable(variable) => {
                format!("the variable {variable} is \"{value}\": {expected}")
            }
        })
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names alone: a password is not the only value that can be a secret.
        out.debug_set().entries(self.values.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(
        flags: &[(&str, Option<String>)],
        dbname: Option<&str>,
        variables: &[(&str, &str)],
    ) -> Result<Parameters, ConnectError> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Parameters::collect(
            flags,
            dbname,
            &Surroundings {
                variable: &variable,
                home: None,
            },
        )
    }

    #[test]
    fn flags_then_the_string_then_the_service_then_variables() {
        let dir = std::env::temp_dir().join(format!("pg_tpcc-service-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let text = "[shop]\nhost=service\nport=3\nuser=service\noptions=service\n";
        std::fs::write(dir.join("pg_service.conf"), text).unwrap();
        let all = collect(
            &[("host", Some("flag".into())), ("user", None)],
            Some("host=string port=2"),
            &[
                ("PGSYSCONFDIR", dir.to_str().unwrap()),
                ("PGSERVICE", "shop"),
                ("PGUSER", "variable"),
                ("PGAPPNAME", "variable"),
            ],
        )
        .unwrap();
        for (name, value) in [
            ("host", "flag"),
            ("port", "2"),
            ("user", "service"),
            ("options", "service"),
            ("application_name", "variable"),
        ] {
            assert_eq!(all.text(name), Some(value), "{name}");
        }
        let missing = collect(
            &[],
            Some("service=none"),
            &[("PGSYSCONFDIR", dir.to_str().unwrap())],
        );
        let message = missing.unwrap_err().to_string();
        assert!(
            message.contains("[none]") && message.contains("pg_service.conf"),
            "{message}"
        );
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn the_last_of_a_string_counts_and_an_empty_value_is_none() {
        let all = collect(&[], Some("port=1 port=2 host=''"), &[("PGHOST", "h")]).unwrap();
        assert_eq!((all.text("port"), all.text("host")), (Some("2"), None));
    }

    #[test]
    fn a_service_file_that_was_named_must_be_there() {
        let error = collect(&[], Some("service=a"), &[("PGSERVICEFILE", "/no/such")]);
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("/no/such not found")
        );
    }

    #[test]
    fn debug_output_has_no_values() {
        let all = collect(&[], Some("postgres://u:secret@h"), &[]).unwrap();
        assert!(!format!("{all:?}").contains("secret"));
    }
}
