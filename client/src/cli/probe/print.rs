//! A probe's result for people.

use workload::counted;

use crate::probe::{Figures, GAIN, Part, ProbeDocument, Sweep, TableKind};
use crate::report::{Table, grouped};

/// What stands after everything that a simulated round trip is in.
const SIMULATED: &str = ", simulated";

/// Prints all of it to standard output.
pub(super) fn print(document: &ProbeDocument) {
    for paragraph in paragraphs(document) {
        say!("{paragraph}\n");
    }
}

/// Prints the end of it: where a round trip goes.
pub(in crate::cli) fn print_decomposition(document: &ProbeDocument) {
    let mark = if document.simulated { SIMULATED } else { "" };
    if let Some(paragraph) = decomposition(document, mark) {
        say!("{paragraph}");
    }
}

fn paragraphs(document: &ProbeDocument) -> Vec<String> {
    let mark = if document.simulated { SIMULATED } else { "" };
    let mut all = vec![format!(
        "PostgreSQL {}, {}{}",
        document.server_version,
        document.target,
        if document.simulated {
            format!(
                "\nEvery round trip is longer by {}: simulated, inside this client.",
                time(document.simulated_rtt_us)
            )
        } else {
            String::new()
        }
    )];
    all.extend(one_connection(document, mark));
    all.extend(sweep(&document.sweep, mark));
    all.extend(decomposition(document, mark));
    all
}

/// The table of everything measured over one connection, and what was left out.
fn one_connection(document: &ProbeDocument, mark: &str) -> Vec<String> {
    let mut table = Table::new([
        "", "samples", "min", "mean", "p50", "p90", "p95", "p99", "p99.9", "max",
    ]);
    let mut left_out = Vec::new();
    let protocol = &document.protocol;
    let floor = &document.floor;
    table.row(cells("floor, empty query", &floor.empty));
    table.row(cells("floor, prepared", &floor.prepared));
    table.row(cells(&format!("empty query{mark}"), &protocol.empty));
    table.row(cells(&format!("SELECT 1, simple{mark}"), &protocol.simple));
    table.row(cells(
        &format!("SELECT 1, extended{mark}"),
        &protocol.extended,
    ));
    table.row(cells(
        &format!("SELECT 1, prepared{mark}"),
        &protocol.prepared,
    ));
    let mut notes = vec![
        "Floor: what this tool adds, measured with an echo of its own over the same kind of socket;\n\
         it is part of all the others but (a)."
            .to_owned(),
    ];
    match &document.insert {
        Part::Measured(insert) => {
            table.row(cells("(a) insert, server", &insert.server));
            table.row(cells(&format!("(b) insert, client{mark}"), &insert.client));
            table.row(cells(&format!("(b) gaps of rows{mark}"), &insert.gap));
            notes.push(format!(
                "Round trip, b - a: {} of the means, {} of the medians{mark}. The inserts of (a) and of (b)\n\
                 are one transaction each, into {}. Gaps of rows: how far apart the server's clock\n\
                 stamped the rows of (b); what the client measures, seen from the server.",
                time(insert.round_trip_mean_us),
                time(insert.round_trip_median_us),
                match insert.table {
                    TableKind::Ordinary => "an ordinary table",
                    TableKind::Unlogged => "an unlogged table (no WAL)",
                    TableKind::Temp => "a temporary table (no WAL)",
                }
            ));
        }
        Part::Skipped { skipped } => left_out.push(format!("inserts: {skipped}")),
    }
    match &document.commit {
        Part::Measured(commit) => {
            table.row(cells(&format!("commit, synchronous{mark}"), &commit.on));
            table.row(cells(&format!("commit, asynchronous{mark}"), &commit.off));
            if !commit.fsync {
                notes.push("fsync is off on this server: no commit waits for the disk.".into());
            }
        }
        Part::Skipped { skipped } => left_out.push(format!("commits: {skipped}")),
    }
    for (name, part) in [
        ("connect without TLS", &document.connect.plain),
        ("connect with TLS", &document.connect.tls),
    ] {
        match part {
            Part::Measured(figures) => {
                table.row(cells(&format!("{name}{mark}"), figures));
            }
            Part::Skipped { skipped } => left_out.push(format!("{name}: {skipped}")),
        }
    }
    let mut all = vec![format!("One connection{mark}, times in us\n{table}")];
    all.push(notes.join("\n"));
    if !left_out.is_empty() {
        all.push(format!("Left out{mark}:\n  {}", left_out.join("\n  ")));
    }
    all
}

fn sweep(sweep: &Sweep, mark: &str) -> Vec<String> {
    let mut table = Table::new([
        "connections",
        "calls/s",
        "ratio",
        "mean",
        "p50",
        "p95",
        "p99",
        "max",
        "",
    ]);
    let first = sweep
        .steps
        .first()
        .map_or(1.0, |step| step.calls_per_second);
    for step in &sweep.steps {
        let times = &step.round_trip;
        table.row([
            step.connections.to_string(),
            grouped(&format!("{:.0}", step.calls_per_second)),
            format!("{:.2}", step.calls_per_second / first),
            us(times.mean_us),
            us(times.p50_us),
            us(times.p95_us),
            us(times.p99_us),
            us(times.max_us),
            if sweep.enough == Some(step.connections) {
                "<- enough".into()
            } else {
                String::new()
            },
        ]);
    }
    let percent = GAIN * 100.0;
    let verdict = match sweep.enough {
        Some(connections) => format!(
            "More than {} {} nothing: no step after it has {percent:.0}% more \
             calls/s{mark}.",
            counted(connections, "connection"),
            if connections == 1 { "wins" } else { "win" }
        ),
        None => {
            format!(
                "The last step still won {percent:.0}% or more over the best before it: the end was not reached{mark}."
            )
        }
    };
    let mut text =
        format!("More connections, SELECT 1 prepared{mark}, times in us\n{table}\n{verdict}");
    if let Some(reason) = &sweep.limited_by {
        text += &format!(
            "\nNot the {} connections asked for{mark}: {reason}.",
            sweep.asked
        );
    }
    vec![text]
}

fn decomposition(document: &ProbeDocument, mark: &str) -> Option<String> {
    let shares = document.decomposition.measured()?;
    let mut table = Table::new(["", "us", "percent", "known from"]);
    for share in shares {
        table.row([
            share.name.clone(),
            us(share.us),
            format!("{:.1}", share.percent),
            share.from.clone(),
        ]);
    }
    let whole: f64 = shares.iter().map(|share| share.us).sum();
    table.row([
        format!("(b) insert, client{mark}"),
        us(whole),
        "100.0".to_owned(),
        String::new(),
    ]);
    let mut text = format!(
        "Where the round trip of one insert goes{mark}: means without the slowest 5%\n{table}"
    );
    if shares.iter().any(|share| share.us < 0.0) {
        text += &format!(
            "\nA share below 0 is a difference of two measurements that is smaller than their noise{mark}."
        );
    }
    Some(text)
}

fn cells(name: &str, figures: &Figures) -> [String; 10] {
    [
        name.to_owned(),
        grouped(&figures.samples.to_string()),
        us(figures.min_us),
        us(figures.mean_us),
        us(figures.p50_us),
        us(figures.p90_us),
        us(figures.p95_us),
        us(figures.p99_us),
        us(figures.p999_us),
        us(figures.max_us),
    ]
}

/// A tenth of a microsecond matters only where there are few of them.
fn us(us: f64) -> String {
    let decimals = if us.abs() < 1e3 { 1 } else { 0 };
    grouped(&format!("{us:.decimals$}"))
}

fn time(us: f64) -> String {
    if us < 1e3 {
        format!("{us:.1} us")
    } else {
        format!("{:.3} ms", us / 1e3)
    }
}
