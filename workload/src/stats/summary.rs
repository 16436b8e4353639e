//! What a run comes to, type by type and in total.

use serde::{Deserialize, Serialize};

use super::histogram::HistogramSnapshot;
use super::snapshot::{Counters, Snapshot, TypeSnapshot};
use crate::kind::{Headline, Workload};

/// Times in microseconds; percentiles have three significant figures, the others are exact.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Latency {
    /// The mean.
    pub mean_us: f64,
    /// The shortest.
    pub min_us: u64,
    /// Half the times are not longer.
    pub p50_us: u64,
    /// 90 of a hundred are not longer: what the standard limits (clause 5.2.5.7).
    pub p90_us: u64,
    /// 95 of a hundred are not longer.
    pub p95_us: u64,
    /// 99 of a hundred are not longer.
    pub p99_us: u64,
    /// 999 of a thousand are not longer.
    pub p999_us: u64,
    /// The longest.
    pub max_us: u64,
}

impl Latency {
    /// The figures of a histogram; all 0 if it is empty. A percentile whose slot reaches beyond the
    /// longest time is cut there.
    pub fn of(times: &HistogramSnapshot) -> Latency {
        let max_us = times.max_us();
        let at = |quantile| times.value_at_quantile(quantile).min(max_us);
        Latency {
            mean_us: times.mean_us(),
            min_us: times.min_us(),
            p50_us: at(0.5),
            p90_us: at(0.9),
            p95_us: at(0.95),
            p99_us: at(0.99),
            p999_us: at(0.999),
            max_us,
        }
    }
}

/// The figures of a type, or of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TypeSummary {
    /// "new_order" and so on, or "total".
    pub name: String,
    /// How its transactions ended.
    #[serde(flatten)]
    pub counters: Counters,
    /// Committed transactions a minute.
    pub per_minute: f64,
    /// The type's share of all transactions that were started and not skipped, 0 to 1.
    pub share: f64,
    /// From when a transaction was due.
    pub response: Latency,
    /// From when it was begun.
    pub service: Latency,
}

/// What a run comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How long was measured, in seconds.
    pub elapsed_s: f64,
    /// A summary a type, in the order of the workload's types.
    pub types: Vec<TypeSummary>,
    /// All types together.
    pub total: TypeSummary,
    /// Committed New-Orders a minute; none in a workload that has no type of which so much is made.
    pub new_orders_per_minute: Option<f64>,
    /// Committed transactions of all types a minute.
    pub transactions_per_minute: f64,
    /// Districts in which a Delivery found no order to deliver (clause 2.7.4.2).
    pub delivery_skipped_districts: u64,
}

impl Snapshot {
    /// What the counts come to over so many seconds.
    pub fn summary(&self, workload: &'static Workload, elapsed_s: f64) -> Summary {
        let total = self.total();
        let begun = |t: &TypeSnapshot| t.counters.started.saturating_sub(t.counters.skipped);
        let summary = |name: &str, counts: &TypeSnapshot| TypeSummary {
            name: name.to_owned(),
            counters: counts.counters,
            per_minute: ratio(counts.counters.committed as f64 * 60.0, elapsed_s),
            share: ratio(begun(counts) as f64, begun(&total) as f64),
            response: Latency::of(&counts.response),
            service: Latency::of(&counts.service),
        };
        let types: Vec<_> = workload
            .kinds()
            .map(|t| summary(t.name(), self.of(t)))
            .collect();
        let total = summary("total", &total);
        Summary {
            elapsed_s,
            new_orders_per_minute: match workload.headline {
                Headline::PerMinute(index, _) => Some(types[index].per_minute),
                Headline::PerSecond => None,
            },
            transactions_per_minute: total.per_minute,
            types,
            total,
            delivery_skipped_districts: self.delivery_skipped_districts,
        }
    }
}

/// A ratio that is 0 where there is nothing to divide by, so that JSON can hold it.
fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 {
        numerator / denominator
    } else {
        0.0
    }
}
