//! A scan's result for people.

use workload::scan::{Run, ScanDocument, Step};

use crate::report::{Table, grouped};

/// As many runs of a degree are shown one by one.
const MOST_SHOWN: usize = 3;

/// Prints all of it to standard output.
pub(in crate::cli) fn show(document: &ScanDocument) {
    let server = &document.server;
    say!(
        "PostgreSQL {}, shared_buffers {}; schema \"{}\", {}table of {} rows, {} bytes, seed {}",
        server.version,
        server.shared_buffers,
        document.config.schema,
        if server.unlogged { "unlogged " } else { "" },
        grouped(&server.rows.to_string()),
        grouped(&server.bytes.to_string()),
        server.seed
    );
    say!("{}", table(&document.steps));
    for line in notes(document) {
        say!("{line}");
    }
}

fn table(steps: &[Step]) -> Table {
    let mut table = Table::new([
        "degree",
        "planned",
        "launched",
        "processes",
        "runs ms",
        "median ms",
        "speed-up",
        "efficiency %",
    ]);
    for step in steps {
        let or_none = |value: Option<f64>, decimals: usize| {
            value.map_or_else(String::new, |value| format!("{value:.decimals$}"))
        };
        table.row([
            step.degree.to_string(),
            step.planned().to_string(),
            step.launched().to_string(),
            step.processes.to_string(),
            runs(&step.runs),
            grouped(&format!("{:.1}", step.median_ms)),
            or_none(step.speed_up, 2),
            or_none(step.efficiency.map(|share| share * 100.0), 1),
        ]);
    }
    table
}

/// Each run; of many, between what they lie.
fn runs(runs: &[Run]) -> String {
    let ms = |ms: f64| grouped(&format!("{ms:.1}"));
    if runs.len() > MOST_SHOWN {
        let times = || runs.iter().map(|run| run.ms);
        let (least, most) = (
            times().fold(f64::MAX, f64::min),
            times().fold(0.0, f64::max),
        );
        let cold = runs.iter().filter(|run| run.is_cold()).count();
        return format!(
            "{} to {}, {cold} of {} cold",
            ms(least),
            ms(most),
            runs.len()
        );
    }
    let one = |run: &Run| {
        format!(
            "{} {}",
            ms(run.ms),
            if run.is_cold() { "cold" } else { "warm" }
        )
    };
    runs.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn notes(document: &ScanDocument) -> Vec<String> {
    let mut notes = vec![match document.serial_share {
        Some(share) => format!(
            "Amdahl's serial share: {:.1} % (least squares over the degrees that had all their workers)",
            share * 100.0
        ),
        None => {
            "Amdahl's serial share: unknown, for no degree above 0 had all its workers".to_owned()
        }
    }];
    for step in document.steps.iter().filter(|step| !step.is_complete()) {
        notes.push(format!(
            "Degree {}: {} workers were planned and {} launched, so that it has no speed-up:\n  {}",
            step.degree,
            step.planned(),
            step.launched(),
            if step.planned() < step.degree {
                "the planner found the table not worth more."
            } else {
                "max_parallel_workers or max_worker_processes left no more, or other queries had them."
            }
        ));
    }
    let runs = || document.steps.iter().flat_map(|step| &step.runs);
    if runs().any(Run::is_cold) && !runs().all(Run::is_cold) {
        notes.push(
            "Some runs were cold and some warm: cold ones read blocks from outside the shared buffers.".to_owned(),
        );
    }
    if let Some(reason) = &document.partial_reason {
        notes.push(format!("The result is partial: {reason}"));
    }
    notes
}
