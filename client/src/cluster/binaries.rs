//! Where a PostgreSQL installation has its programs, as its `pg_config` tells.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ClusterError;
use super::config::Config;

/// One PostgreSQL installation.
#[derive(Clone, Debug)]
pub struct Binaries {
    pg_config: PathBuf,
    bindir: PathBuf,
    version: String,
    major: u32,
}

impl Binaries {
    /// Asks the `pg_config` at this path or of this name.
    pub fn from_pg_config(pg_config: impl AsRef<OsStr>) -> Result<Binaries, ClusterError> {
        let pg_config = PathBuf::from(pg_config.as_ref());
        let bindir = PathBuf::from(ask(&pg_config, "--bindir")?);
        let version = ask(&pg_config, "--version")?;
        let major = major_of(&version).ok_or_else(|| ClusterError::NotPostgres {
            pg_config: pg_config.clone(),
            said: version.clone(),
        })?;
        if !bindir.join("initdb").exists() {
            return Err(ClusterError::NoServer { pg_config, bindir });
        }
        Ok(Binaries {
            pg_config,
            bindir,
            version,
            major,
        })
    }

    /// The first installation with a server among the places that `pgrx.toml` lists.
    pub fn search() -> Result<Binaries, ClusterError> {
        let postgresql = &Config::get().postgresql;
        let mut majors = postgresql.majors.clone();
        majors.sort_unstable_by(|a, b| b.cmp(a));
        for place in &postgresql.search {
            let candidates: Vec<String> = if place.contains("{major}") {
                majors
                    .iter()
                    .map(|major| place.replace("{major}", &major.to_string()))
                    .collect()
            } else {
                vec![place.clone()]
            };
            for candidate in candidates {
                if let Ok(binaries) = Binaries::from_pg_config(&candidate) {
                    return Ok(binaries);
                }
            }
        }
        Err(ClusterError::NoPostgres {
            places: postgresql.search.join(", "),
        })
    }

    /// The `pg_config` that described the installation.
    pub fn pg_config(&self) -> &Path {
        &self.pg_config
    }

    /// The folder of the programs.
    pub fn bindir(&self) -> &Path {
        &self.bindir
    }

    /// What `pg_config --version` says, as "PostgreSQL 18.6".
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The major version.
    pub fn major(&self) -> u32 {
        self.major
    }

    /// The path of one program of the installation.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bindir.join(name)
    }
}

fn ask(pg_config: &Path, flag: &str) -> Result<String, ClusterError> {
    let output = Command::new(pg_config)
        .arg(flag)
        .output()
        .map_err(|source| ClusterError::PgConfig {
            pg_config: pg_config.into(),
            source,
        })?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The major in what `pg_config --version` prints: "PostgreSQL 18.6", "PostgreSQL 19beta1 (Debian)".
fn major_of(version: &str) -> Option<u32> {
    let number = version.strip_prefix("PostgreSQL ")?;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::major_of;

    #[test]
    fn majors_are_read_from_the_versions_people_meet() {
        assert_eq!(major_of("PostgreSQL 18.6"), Some(18));
        assert_eq!(major_of("PostgreSQL 19beta1"), Some(19));
        assert_eq!(
            major_of("PostgreSQL 15.20 (Debian 15.20-0+deb12u1)"),
            Some(15)
        );
        assert_eq!(major_of("pg_config (GNU)"), None);
    }
}
