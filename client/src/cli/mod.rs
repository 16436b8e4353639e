//! The verbs of the command, with PostgreSQL's habits: `-h` is the host, `-?` is the help, progress and
//! complaints go to standard error, results to standard output.

#[macro_use]
mod say;

mod check;
mod demo;
mod drop;
mod duration;
mod error;
mod interrupt;
mod load;
mod loading;
mod oltp;
mod probe;
mod query;
mod report;
mod run;
mod scan;
mod tpcb;

use std::process::ExitCode;

use clap::{ArgAction, Parser, Subcommand};

pub use error::CliError;

/// TPC-C inside PostgreSQL.
#[derive(Parser)]
#[command(
    name = "tpcc",
    version,
    disable_help_flag = true,
    disable_help_subcommand = true
)]
#[command(
    after_help = "tpcc VERB --help tells the flags of a verb; -h is the host, as in psql.\n\
                  Exit status: 0 fine, 1 the work failed or a condition does not hold, 2 wrong usage,\n\
                  3 no connection. A run that Ctrl-C ended has a result and ends with 0, as does one in\n\
                  which transactions failed: they are counted."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Print help
    #[arg(short = '?', long, global = true, action = ArgAction::Help, help_heading = "General")]
    help: Option<bool>,
}

#[derive(Subcommand)]
enum Verb {
    /// Show everything once, in a private PostgreSQL
    Demo(demo::DemoArgs),
    /// Load the initial population: tables, rows, keys, indexes, statistics
    Load(load::LoadArgs),
    /// Run transactions for a time, in one of four modes or in all of them
    Run(Box<run::RunArgs>),
    /// Print result files as the run did
    Report(report::ReportArgs),
    /// Check the twelve consistency conditions of the standard
    Check(check::CheckArgs),
    /// Drop what tpcc load has made in a schema; what others have there stays
    Drop(drop::DropArgs),
    /// Load, run and check pgbench's TPC-B, simple update and select
    Tpcb(tpcb::TpcbArgs),
    /// Load, run and check sysbench's OLTP tables and scripts
    Oltp(oltp::OltpArgs),
    /// Take a round trip apart; find out how many connections are enough
    Probe(probe::ProbeArgs),
    /// Count a large table with more and more parallel workers: the speed-up of parallel query
    Scan(scan::ScanArgs),
}

/// Runs the command that the process was called with.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => {
            if message.use_stderr() {
                let text = message.render().to_string();
                tell!("tpcc: {}", text.trim_start_matches("error: ").trim_end());
                return error::USAGE.into();
            }
            // Nothing is left to tell when the terminal is gone.
            let _ = message.print();
            return ExitCode::SUCCESS;
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            tell!("tpcc: {error}");
            return error::FAILED.into();
        }
    };
    let result = runtime.block_on(async {
        match cli.verb {
            Verb::Demo(args) => demo::run(args).await,
            Verb::Run(args) => run::run(*args).await,
            Verb::Report(args) => report::run(&args),
            Verb::Check(args) => check::run(args).await,
            Verb::Load(args) => load::run(args).await,
            Verb::Drop(args) => drop::run(args).await,
            Verb::Tpcb(args) => tpcb::run(args).await,
            Verb::Oltp(args) => oltp::run(args).await,
            Verb::Probe(args) => probe::run(args).await,
            Verb::Scan(args) => scan::run(args).await,
        }
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell!("tpcc: {error}");
            error.exit_code()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_do_not_collide() {
        Cli::command().debug_assert();
    }

    #[test]
    fn h_is_the_host_as_in_psql() {
        let cli = Cli::try_parse_from([
            "tpcc", "check", "-h", "/run/x", "-p", "1", "-U", "ann", "-d", "shop",
        ]);
        let Ok(Cli {
            verb: Verb::Check(args),
            ..
        }) = cli
        else {
            panic!("does not parse")
        };
        assert_eq!(args.connection.host.as_deref(), Some("/run/x"));
        assert_eq!(args.connection.user.as_deref(), Some("ann"));
    }
}
