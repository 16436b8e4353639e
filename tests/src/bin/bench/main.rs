//! `make bench`: measures pg_tpcc on a durable throw-away cluster and writes `docs/benchmarks.md`.
//!
//! A measurement is a file in `measure/` with one function and a line in [`measure::ALL`]. What it
//! compares, it measures in turns within one run: a machine's speed differs from hour to hour, so
//! only ratios of one run say much.

mod bench;
mod client;
mod copy_load;
mod machine;
mod measure;
mod pgbench;
mod process;
mod psql;
mod report;
mod run;
mod scripts;
mod session;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use bench::{Bench, Effort};
use machine::Machine;
use measure::Measurement;
use report::{Section, document, updated};

/// What may go wrong in a measurement; its text is shown, and nothing is written.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Measures pg_tpcc. Without a name it takes all measurements and writes the document; with names,
/// or quickly, it only prints, unless --output is given.
#[derive(Parser)]
#[command(name = "bench")]
struct Args {
    /// The measurements to take, of those that --list names
    names: Vec<String>,
    /// Tell which measurements there are
    #[arg(long)]
    list: bool,
    /// Try the tool: little data, one short round, figures without meaning
    #[arg(long)]
    quick: bool,
    /// Rounds of each measurement, instead of its own number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Put the measurements that were named into the document, in the place of what it had of them
    #[arg(long, requires = "names", conflicts_with = "quick")]
    update: bool,
    /// File for the document
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn main() -> ExitCode {
    // The cluster's helpers panic with a text for people, and the place in their source is not for them.
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload_as_str().unwrap_or("it panicked");
        eprintln!("bench: {text}");
    }));
    match work(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn work(args: Args) -> Result<()> {
    if args.list {
        for measurement in measure::ALL {
            println!("{:<12} {}", measurement.name, measurement.what);
        }
        return Ok(());
    }
    let chosen = chosen(&args.names)?;
    let only_prints = args.quick || !(args.names.is_empty() || args.update);
    let output = match (args.output, only_prints) {
        (Some(file), _) => Some(file),
        (None, true) => None,
        (None, false) => Some(PathBuf::from("docs/benchmarks.md")),
    };
    if let Some(folder) = output.as_ref().and_then(|file| file.parent()) {
        // Before the long work, not after it.
        std::fs::create_dir_all(folder)?;
    }
    let mut effort = if args.quick {
        Effort::QUICK
    } else {
        Effort::FULL
    };
    if let Some(rounds) = args.rounds {
        (effort.rounds, effort.long_rounds) = (rounds, rounds);
    }
    // Before anything of ours makes it busy.
    let mut machine = Machine::look();
    let bench = Bench::start(effort)?;
    machine.look_at_server(&bench)?;
    let sections = take(&chosen, &bench).inspect_err(|_| bench.show_log())?;
    if let Some(file) = output {
        let text = match args.update {
            true => updated(&std::fs::read_to_string(&file)?, &machine, &sections),
            false => document(&machine, args.quick, &sections),
        };
        std::fs::write(&file, text)?;
        eprintln!("written: {}", file.display());
    }
    Ok(())
}

fn take(chosen: &[&Measurement], bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    for measurement in chosen {
        eprintln!("{}: {}", measurement.name, measurement.what);
        let section = (measurement.take)(bench)?;
        println!("{section}");
        sections.push(section);
    }
    Ok(sections)
}

fn chosen(names: &[String]) -> Result<Vec<&'static Measurement>> {
    if names.is_empty() {
        return Ok(measure::ALL.iter().collect());
    }
    let find = |name: &String| {
        let found = measure::ALL.iter().find(|m| m.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = measure::ALL.iter().map(|m| m.name).collect();
            format!(
                "there is no measurement {name} (known: {})",
                known.join(", ")
            )
            .into()
        })
    };
    names.iter().map(find).collect()
}
