//! One document of several runs that went on at the same time, as on several table sets.

use crate::kind::MAX_KINDS;
use crate::stats::{
    ErrorTally, HistogramSnapshot, HistogramTextError, Latency, Snapshot, TypeSnapshot, from_base64,
};

use super::{ResultDocument, RunFacts, SeriesPoint};

/// Puts the documents of runs together that were one run on several table sets: counts and connections
/// add up, histograms are merged, times are those of the longest.
///
/// The 95th percentile of a second cannot be had from those of the parts; the highest stands there.
///
/// # Errors
/// When a histogram cannot be read.
///
/// # Panics
/// Without any document.
pub fn merge(mut documents: Vec<ResultDocument>) -> Result<ResultDocument, HistogramTextError> {
    if documents.len() == 1 {
        return Ok(documents.remove(0));
    }
    let mut counts = Snapshot::default();
    let mut errors = ErrorTally::new();
    for document in &documents {
        counts.merge(&counts_of(document)?);
        for error in &document.errors {
            errors.add(&error.sqlstate, error.count, &error.first_message);
        }
    }
    let series = merge_series(&documents);
    let elapsed_s = documents.iter().map(|d| d.elapsed_s).fold(0.0, f64::max);
    let workers = documents.iter().map(|d| d.config.workers).sum();
    let reason = documents.iter().find_map(|d| d.partial_reason.clone());
    let ended_at = documents.iter().map(|d| &d.ended_at).max().cloned();
    let first = documents.remove(0);
    let mut config = first.config;
    config.workers = workers;
    let facts = RunFacts {
        written_by: first.written_by,
        mode: first.mode,
        flavour: first.flavour,
        config,
        server: first.server,
        started_at: first.started_at,
        ended_at: ended_at.unwrap_or(first.ended_at),
        elapsed_s,
        partial_reason: reason,
        errors: errors.into_counts(),
        series,
        client: first.client,
    };
    Ok(ResultDocument::new(facts, &counts))
}

/// The counts that a document was made of; its histograms have the precision of their slots.
fn counts_of(document: &ResultDocument) -> Result<Snapshot, HistogramTextError> {
    let mut types: [TypeSnapshot; MAX_KINDS] = Default::default();
    for (summary, counts) in document.types.iter().zip(&mut types) {
        counts.counters = summary.counters;
    }
    for (transaction, texts) in &document.histograms {
        let index = transaction.index();
        let summary = &document.types[index];
        types[index].response = histogram(&texts.response, &summary.response)?;
        types[index].service = histogram(&texts.service, &summary.service)?;
    }
    Ok(Snapshot::of_types(
        types,
        document.accounting.delivery_skipped_districts,
    ))
}

fn histogram(text: &str, times: &Latency) -> Result<HistogramSnapshot, HistogramTextError> {
    Ok(HistogramSnapshot::from_hdr(
        &from_base64(text)?,
        times.mean_us,
        times.min_us,
        times.max_us,
    ))
}

fn merge_series(documents: &[ResultDocument]) -> Vec<SeriesPoint> {
    let longest = documents.iter().max_by_key(|d| d.series.len());
    let mut series = longest.map_or_else(Vec::new, |d| d.series.clone());
    let longest_at = longest.map(std::ptr::from_ref);
    for document in documents {
        if Some(std::ptr::from_ref(document)) == longest_at {
            continue;
        }
        for (point, more) in series.iter_mut().zip(&document.series) {
            for (transaction, committed) in &more.committed {
                *point.committed.entry(*transaction).or_default() += committed;
            }
            point.rolled_back += more.rolled_back;
            point.failed += more.failed;
            point.retries += more.retries;
            point.p95_us = point.p95_us.max(more.p95_us);
        }
    }
    series
}
