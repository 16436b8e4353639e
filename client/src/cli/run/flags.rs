//! The flags that the runs of all workloads have.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use workload::result::{Flavour, Mode};

use super::super::error::unwritable;
use super::super::{CliError, duration};
use super::files::Files;
use crate::connect::{ConnectArgs, Connector};
use crate::driver::engine;
use crate::driver::mode::Protocol;
use crate::driver::plan::{Arrivals, Pace, Plan, Task};

/// Connections that are opened unless asked otherwise.
const DEFAULT_CONNECTIONS: u32 = 8;
/// The longest run: 30 days.
const LONGEST: Duration = Duration::from_secs(30 * 86_400);

/// Who runs the logic of the transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// The client, statement by statement, as an ordinary application does
    Statements,
    /// The client, independent statements sent together
    Pipelined,
    /// The server, one call a transaction
    Udf,
    /// The server, without a client
    Server,
    /// One after the other, side by side
    All,
}

impl ModeArg {
    /// The modes to run, in the order in which they are told.
    pub fn modes(self) -> Vec<Mode> {
        match self {
            ModeArg::Statements => vec![Mode::Statements],
            ModeArg::Pipelined => vec![Mode::Pipelined],
            ModeArg::Udf => vec![Mode::Udf],
            ModeArg::Server => vec![Mode::Server],
            ModeArg::All => vec![Mode::Statements, Mode::Pipelined, Mode::Udf, Mode::Server],
        }
    }
}

/// The isolation level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IsolationArg {
    /// PostgreSQL's default
    ReadCommitted,
    /// A snapshot a transaction
    RepeatableRead,
    /// As if one after the other; conflicts are retried
    Serializable,
}

impl IsolationArg {
    /// As SQL spells it.
    pub fn sql(self) -> &'static str {
        match self {
            IsolationArg::ReadCommitted => "read committed",
            IsolationArg::RepeatableRead => "repeatable read",
            IsolationArg::Serializable => "serializable",
        }
    }
}

/// The flags of every workload's run.
#[derive(Debug, Args)]
pub struct RunFlags {
    /// Who runs the logic of the transactions
    #[arg(short = 'M', long, value_name = "MODE", default_value = "udf")]
    pub mode: ModeArg,
    /// How statements are sent, as in pgbench
    #[arg(long, value_name = "PROTOCOL", default_value = "prepared")]
    pub protocol: Protocol,
    /// Connections, each with a terminal; in mode server, workers
    #[arg(short, long, value_name = "N", default_value_t = DEFAULT_CONNECTIONS, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub connections: u32,
    /// Threads that share the connections [default: one for two processors]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
    /// How long to measure, in seconds or with a unit: 60, 90s, 5min
    #[arg(short = 'T', long, visible_alias = "duration", value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    pub time: Duration,
    /// How long to run before that, left out of the figures; in seconds or with a unit
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration::parse_or_none)]
    pub ramp_up: Duration,
    /// Transactions due a second over all connections: an open loop
    #[arg(short = 'R', long, value_name = "TPS", value_parser = rate)]
    pub rate: Option<f64>,
    /// How due times are spread with --rate
    #[arg(long, value_name = "HOW", default_value = "poisson", requires = "rate")]
    pub arrivals: Arrivals,
    /// Count responses that take longer, in ms or with a unit; with --rate, skip what is this late
    #[arg(short = 'L', long, value_name = "TIME", value_parser = duration::parse_milliseconds)]
    pub latency_limit: Option<Duration>,
    /// Isolation level
    #[arg(long, value_name = "LEVEL", default_value = "read-committed")]
    pub isolation: IsolationArg,
    /// Seed of the inputs, for the same orders again [default: any]
    #[arg(long, allow_negative_numbers = true)]
    pub seed: Option<i64>,
    /// Hold each answer back by this: a longer round trip, simulated; 5ms, or seconds
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration::parse_or_none)]
    pub simulate_rtt: Duration,
    /// A line of progress this often, in seconds or with a unit; 0 for none
    #[arg(short = 'P', long, value_name = "TIME", default_value = "10s", value_parser = duration::parse_or_none)]
    pub progress: Duration,
    /// Write the result document to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the time series to this file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    #[command(flatten)]
    pub connection: ConnectArgs,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (0.001..=10_000_000.0).contains(&rate) => Ok(rate),
        _ => Err("a rate is a number of transactions a second, 0.001 to 10000000".into()),
    }
}

impl RunFlags {
    /// When transactions are due.
    pub fn pace(&self) -> Pace {
        match self.rate {
            Some(per_second) => Pace::Rate {
                per_second,
                arrivals: self.arrivals,
            },
            None => Pace::Closed,
        }
    }

    /// The number of threads: half of the processors are left to a server on the same machine.
    fn thread_count(&self) -> u32 {
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let threads = self.threads.unwrap_or((processors / 2).max(1));
        threads.min(self.connections)
    }

    /// The seed, or one that is easy to type again.
    pub fn seed(&self) -> i64 {
        self.seed
            .unwrap_or_else(|| engine::unix_us().rem_euclid(1_000_000_000))
    }

    /// A plan for each mode, in the order in which they are told.
    pub fn plans(
        &self,
        connector: &Connector,
        flavour: Flavour,
        task: &Task,
        schema: &str,
    ) -> Vec<Plan> {
        let seed = self.seed();
        let plan = |mode: Mode| Plan {
            connector: connector.clone(),
            mode,
            flavour,
            protocol: self.protocol,
            task: task.clone(),
            schema: schema.to_owned(),
            connections: self.connections,
            threads: self.thread_count(),
            ramp_up: self.ramp_up,
            duration: self.time,
            pace: self.pace(),
            isolation: self.isolation.sql().to_owned(),
            seed,
            latency_limit: self.latency_limit,
            simulated_rtt: if mode == Mode::Server {
                Duration::ZERO
            } else {
                self.simulate_rtt
            },
            report_interval: (!self.progress.is_zero()).then_some(self.progress),
        };
        self.mode.modes().into_iter().map(plan).collect()
    }

    /// The files to write, open before anything is measured.
    ///
    /// # Errors
    /// [`CliError::Usage`] when one cannot be written.
    pub fn files(&self) -> Result<Files, CliError> {
        Files::open(self.json.as_deref(), self.csv.as_deref()).map_err(unwritable)
    }

    /// Finds what does not go together.
    ///
    /// # Errors
    /// [`CliError::Usage`].
    pub fn check(&self) -> Result<(), CliError> {
        let usage = |message: String| Err(CliError::Usage(message));
        if self.time > LONGEST || self.ramp_up > LONGEST {
            return usage("a run is 30 days long at most".into());
        }
        let progress = self.progress;
        if !progress.is_zero() && progress < Duration::from_millis(100) {
            return usage("--progress is 0 for none, or 100ms at least".into());
        }
        if self.simulate_rtt > Duration::from_secs(10) {
            return usage("--simulate-rtt is 10s at most".into());
        }
        if self.mode == ModeArg::Server && !self.simulate_rtt.is_zero() {
            return usage(
                "--simulate-rtt delays a client, and in mode server there is none: leave it out, or take \
                 --mode all"
                    .into(),
            );
        }
        if let (Some(json), Some(csv)) = (&self.json, &self.csv)
            && json == csv
        {
            return usage("--json and --csv name the same file".into());
        }
        Ok(())
    }

    /// What mode server cannot do without the extension.
    ///
    /// # Errors
    /// [`CliError::Usage`].
    pub fn check_for_batches(&self) -> Result<(), CliError> {
        if self.mode.modes().contains(&Mode::Server) && self.isolation == IsolationArg::Serializable
        {
            return Err(CliError::Usage(
                "in mode server a COMMIT that fails cannot be caught in PL/pgSQL: leave serializable out, or take \
                 another mode"
                    .into(),
            ));
        }
        Ok(())
    }

    /// What mode server cannot do in the extension.
    ///
    /// # Errors
    /// [`CliError::Usage`].
    pub fn check_for_extension(&self) -> Result<(), CliError> {
        if !self.mode.modes().contains(&Mode::Server) {
            return Ok(());
        }
        let what = if self.rate.is_some() && self.arrivals != Arrivals::Poisson {
            "in mode server arrivals are at random: leave --arrivals out"
        } else if self.latency_limit.is_some() {
            "in mode server the extension knows no limit: leave --latency-limit out"
        } else {
            return Ok(());
        };
        Err(CliError::Usage(format!("{what}, or take another mode")))
    }
}
