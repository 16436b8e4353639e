//! What `pgrx.toml` says about private clusters and about where PostgreSQL is looked for.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

/// The part of `pgrx.toml` that the client reads; the file is compiled in, so that the command works
/// without the checkout.
#[derive(Debug, Deserialize)]
pub struct Config {
    /// Which PostgreSQL majors there are and where their `pg_config` may lie.
    pub postgresql: PostgresqlConfig,
    /// The settings of private clusters.
    pub cluster: ClusterConfigs,
}

/// The section `[postgresql]`.
#[derive(Debug, Deserialize)]
pub struct PostgresqlConfig {
    /// The majors that the extension is built for.
    pub majors: Vec<u32>,
    /// Candidates for `pg_config`, first come first served; `{major}` stands for a major.
    pub search: Vec<String>,
}

/// The sections `[cluster.*]`.
#[derive(Debug, Deserialize)]
pub struct ClusterConfigs {
    /// The cluster of `tpcc demo`.
    pub demo: ClusterConfig,
    /// The throw-away cluster of the tests.
    pub test: ClusterConfig,
}

/// How one kind of private cluster is set up.
#[derive(Clone, Debug, Deserialize)]
pub struct ClusterConfig {
    /// The number in the socket's file name; nothing listens on TCP.
    pub port: u16,
    /// The database to work in.
    pub database: String,
    /// The share of the machine's memory that becomes `shared_buffers`, in percent.
    pub shared_buffers_percent: u64,
    /// The most that `shared_buffers` may be, in MB.
    pub shared_buffers_max_mb: u64,
    /// Further settings, by name.
    pub settings: BTreeMap<String, String>,
}

impl Config {
    /// The configuration that this client was built with.
    pub fn get() -> &'static Config {
        static CONFIG: OnceLock<Config> = OnceLock::new();
        CONFIG.get_or_init(|| {
            toml::from_str(include_str!("../../../pgrx.toml"))
                .expect("pgrx.toml is checked by a unit test")
        })
    }
}

impl ClusterConfig {
    /// All settings of a cluster of this kind on a machine with `memory_mb` of memory (`None`:
    /// unknown), in the order of their names.
    pub fn settings_for(&self, memory_mb: Option<u64>) -> BTreeMap<String, String> {
        let share = memory_mb.map_or(128, |mb| mb * self.shared_buffers_percent / 100);
        let shared_buffers = share.clamp(16, self.shared_buffers_max_mb);
        let mut settings = self.settings.clone();
        settings.insert("shared_buffers".into(), format!("{shared_buffers}MB"));
        settings
    }
}

/// The machine's memory in MB, where the system tells it.
pub fn memory_mb() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pgrx_toml_is_readable() {
        let config = Config::get();
        assert_eq!(config.postgresql.majors, [14, 15, 16, 17, 18]);
        assert_ne!(config.cluster.demo.port, config.cluster.test.port);
        assert_eq!(config.cluster.demo.settings["fsync"], "on");
    }

    #[test]
    fn shared_buffers_follow_the_memory_up_to_the_bound() {
        let demo = &Config::get().cluster.demo;
        let buffers = |memory| demo.settings_for(memory)["shared_buffers"].clone();
        assert_eq!(buffers(Some(2048)), "512MB");
        assert_eq!(buffers(Some(64 * 1024)), "4096MB");
        assert_eq!(buffers(Some(40)), "16MB");
        assert_eq!(buffers(None), "128MB");
    }
}
