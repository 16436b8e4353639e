//! What `tpcc run` prints at its end.

use workload::result::{ClientFacts, Mode, ResultDocument};
use workload::stats::{PartsSummary, TypeSummary};
use workload::{Headline, Kind};

use crate::driver::mode::pooler_hint;
use crate::report::{Table, grouped};

/// Prints each result, and a comparison where there are several.
pub fn results(documents: &[ResultDocument]) {
    for document in documents {
        result(document, documents.len() > 1);
    }
    if documents.len() > 1 {
        side_by_side(documents);
    }
}

/// Prints the modes side by side.
pub fn side_by_side(documents: &[ResultDocument]) {
    say!("{}", comparison(documents));
    if let Some(ms) = simulated_ms(documents) {
        say!("simulated: the client holds each answer back by {ms} ms.");
    }
}

fn result(document: &ResultDocument, with_name: bool) {
    if with_name {
        say!("Mode {}", mode(document));
    }
    let due = document.config.rate.is_some();
    if due {
        say!("Response times, from when a transaction was due:");
    }
    say!("{}", transactions(document));
    if let Some(client) = &document.client {
        if client.parts_total.is_some() {
            if due {
                say!("Service times, from when it was begun, taken apart:");
            }
            say!("{}", time_taken_apart(document, client));
        }
        for line in remarks(document, client) {
            say!("{line}");
        }
    }
    for error in &document.errors {
        say!(
            "{} errors with {}: {}",
            grouped(&error.count.to_string()),
            printable(&error.sqlstate),
            printable(&error.first_message)
        );
        if let Some(hint) = pooler_hint(&error.sqlstate) {
            say!("HINT:  {hint}");
        }
    }
    let (rate, name) = document.headline();
    say!(
        "{} {name}, {} transactions/min over {:.1} s, seed {}\n",
        whole(rate),
        whole(document.transactions_per_minute),
        document.elapsed_s,
        document.config.seed
    );
}

/// How transactions ended and how long they took, a row a type.
fn transactions(document: &ResultDocument) -> Table {
    let mut table = Table::new([
        "transaction",
        "committed",
        "rolled back",
        "retried",
        "failed",
        "skipped",
        "per minute",
        "share %",
        "mean ms",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "max ms",
    ]);
    let mut row = |name: &str, figures: &TypeSummary| {
        let counters = figures.counters;
        let count = |count: u64| grouped(&count.to_string());
        let times = figures.response;
        table.row([
            name.to_owned(),
            count(counters.committed),
            count(counters.rolled_back),
            count(counters.retries()),
            count(counters.failed),
            count(counters.skipped),
            whole(figures.per_minute),
            format!("{:.2}", figures.share * 100.0),
            milliseconds(times.mean_us),
            milliseconds(times.p50_us as f64),
            milliseconds(times.p95_us as f64),
            milliseconds(times.p99_us as f64),
            milliseconds(times.max_us as f64),
        ]);
    };
    // All five of TPC-C, whatever the mix; of the others those that were asked for.
    let wanted =
        |figures: &TypeSummary| document.config.tpcc.is_some() || figures.counters.started > 0;
    let types = document.config.workload().kinds().zip(&document.types);
    for (kind, figures) in types.filter(|(_, figures)| wanted(figures)) {
        row(kind.name(), figures);
    }
    row("total", &document.total);
    table
}

/// Where the client's time went, a row a type.
fn time_taken_apart(document: &ResultDocument, client: &ClientFacts) -> Table {
    let network = match client.simulated_rtt_us {
        Some(_) => "network (simulated)",
        None => "network",
    };
    let mut headings = vec![
        "latency =".to_owned(),
        "round trips".into(),
        "mean ms".into(),
    ];
    for part in [network, "server", "rest"] {
        headings.push(format!("{part} %"));
        headings.push(format!("{part} mean ms"));
        headings.push(format!("{part} p95 ms"));
    }
    let mut table = Table::new(headings);
    let mut row = |name: &str, mean_us: f64, parts: &PartsSummary| {
        let mut cells = vec![
            name.to_owned(),
            format!("{:.1}", parts.round_trips),
            milliseconds(mean_us),
        ];
        for part in [&parts.network, &parts.server, &parts.rest] {
            cells.push(format!("{:.1}", part.share * 100.0));
            cells.push(milliseconds(part.times.mean_us));
            cells.push(milliseconds(part.times.p95_us as f64));
        }
        table.row(cells);
    };
    for kind in document.config.workload().kinds() {
        if let Some(parts) = client.parts.get(&kind) {
            let figures = &document.types[kind.index()];
            row(kind.name(), figures.service.mean_us, parts);
        }
    }
    if let Some(parts) = &client.parts_total {
        row("total", document.total.service.mean_us, parts);
    }
    table
}

fn remarks(document: &ResultDocument, client: &ClientFacts) -> Vec<String> {
    let mut lines = vec![round_trip(client)];
    let statements = client.statements;
    let per_s = |count: u64| whole(count as f64 / document.elapsed_s.max(1e-9));
    let counted = match statements.total() {
        // Whole batches were handed to the server.
        0 => String::new(),
        all => format!(
            "statements: {}/s (reads {}, writes {}, other {}); ",
            per_s(all),
            per_s(statements.reads),
            per_s(statements.writes),
            per_s(statements.other),
        ),
    };
    lines.push(format!(
        "{counted}client CPU {:.1} us a transaction",
        client.cpu_us_per_transaction
    ));
    let fair = client.fairness;
    lines.push(format!(
        "fairness: transactions a connection (avg/stddev) {:.1}/{:.2}, busy s {:.2}/{:.2}",
        fair.transactions_avg, fair.transactions_stddev, fair.busy_s_avg, fair.busy_s_stddev
    ));
    if let Some(limit) = client.latency_limit {
        lines.push(format!(
            "over the limit of {} ms: {} transactions",
            milliseconds(limit.limit_us as f64),
            grouped(&limit.exceeded.to_string())
        ));
    }
    for outage in &client.outages {
        let end = match outage.to_s {
            Some(to_s) => format!("{:.2} s", to_s - outage.from_s),
            None => "until the end".to_owned(),
        };
        lines.push(format!(
            "outage at {:.1} s: {end} from last to first success, {} connections lost: {}",
            outage.from_s, outage.connections, outage.reason
        ));
    }
    lines.extend(client.bottleneck.clone());
    lines
}

/// What the probes beside the transactions met; percentiles only where there were enough of them.
fn round_trip(client: &ClientFacts) -> String {
    let (trip, samples) = (client.round_trip, client.round_trip_samples);
    let mut line = format!(
        "round trip{}: {samples} probes meanwhile, p50 {} ms",
        if client.simulated_rtt_us.is_some() {
            " (simulated)"
        } else {
            ""
        },
        milliseconds(trip.p50_us as f64),
    );
    for (name, us, least) in [("p95", trip.p95_us, 20), ("p99", trip.p99_us, 100)] {
        if samples >= least {
            line.push_str(&format!(", {name} {} ms", milliseconds(us as f64)));
        }
    }
    line.push_str(&format!(", max {} ms", milliseconds(trip.max_us as f64)));
    line
}

/// A row a mode.
fn comparison(documents: &[ResultDocument]) -> Table {
    let (slowest, name) = documents[0].headline();
    let type_of_headline = match documents[0].config.workload().headline {
        Headline::PerMinute(index, _) => Some(documents[0].config.workload().kind(index)),
        Headline::PerSecond => None,
    };
    let mut headings = vec!["mode".to_owned()];
    headings.extend(type_of_headline.map(|kind| format!("trips/{kind}")));
    headings.extend(
        [
            "trips/transaction",
            name,
            "factor",
            "p50 ms",
            "p95 ms",
            "p99 ms",
            "network %",
        ]
        .map(str::to_owned),
    );
    let mut table = Table::new(headings);
    for document in documents {
        let (rate, _) = document.headline();
        let times = document.total.response;
        let mut row = vec![mode(document)];
        row.extend(type_of_headline.map(|kind| trips(document, Some(kind))));
        row.extend([
            trips(document, None),
            whole(rate),
            format!("{:.1}", rate / slowest.max(1e-9)),
            milliseconds(times.p50_us as f64),
            milliseconds(times.p95_us as f64),
            milliseconds(times.p99_us as f64),
            network_percent(document),
        ]);
        table.row(row);
    }
    table
}

/// The mode, and whether its round trips were made longer.
fn mode(document: &ResultDocument) -> String {
    let client = document.client.as_ref();
    let simulated = client.is_some_and(|client| client.simulated_rtt_us.is_some());
    let mark = if simulated { " (simulated)" } else { "" };
    format!("{}{mark}", document.mode.name())
}

/// Round trips of a transaction of a type, or of all of them, as counted.
fn trips(document: &ResultDocument, kind: Option<Kind>) -> String {
    let Some(client) = &document.client else {
        return "0.0".into();
    };
    let of_kind = kind.and_then(|kind| client.parts.get(&kind));
    let all = client.round_trips_per_transaction;
    format!("{:.1}", of_kind.map_or(all, |parts| parts.round_trips))
}

/// The network's share of the time, where there is a client.
fn network_percent(document: &ResultDocument) -> String {
    let parts = document
        .client
        .as_ref()
        .and_then(|client| client.parts_total.as_ref());
    parts.map_or_else(String::new, |p| format!("{:.1}", p.network.share * 100.0))
}

fn simulated_ms(documents: &[ResultDocument]) -> Option<String> {
    let us = documents
        .iter()
        .filter(|document| document.mode != Mode::Server)
        .find_map(|document| document.client.as_ref()?.simulated_rtt_us)?;
    Some(milliseconds(us as f64))
}

fn whole(number: f64) -> String {
    grouped(&format!("{number:.0}"))
}

/// Microseconds as milliseconds, with as many digits as say something.
fn milliseconds(us: f64) -> String {
    let ms = us / 1e3;
    if ms >= 100.0 {
        grouped(&format!("{ms:.0}"))
    } else if ms >= 10.0 {
        format!("{ms:.1}")
    } else {
        format!("{ms:.3}")
    }
}

/// A text from a file without what a terminal would obey.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
