//! Whether a run becomes slower while it lasts.

use workload::result::SeriesPoint;

use crate::Result;
use crate::bench::Bench;
use crate::report::{Figure, Section, Target};
use crate::run::run;

const WAREHOUSES: i32 = 2;
const WORKERS: u32 = 4;

/// Compares the last third of long runs with the first.
pub fn measure(bench: &Bench) -> Result<Section> {
    let effort = bench.effort;
    let (mut firsts, mut lasts) = (Vec::new(), Vec::new());
    for round in 1..=effort.long_rounds {
        let database = bench.loaded(WAREHOUSES)?;
        let session = bench.session(database.name());
        bench.settle()?;
        let document = run(&session, WORKERS, effort.warm_up, effort.long)?;
        let length = document.elapsed_s;
        let first = per_minute(&document.series, 0.0, length / 3.0)?;
        let last = per_minute(&document.series, length * 2.0 / 3.0, length)?;
        eprintln!("  round {round}: first third {first:.0}/min, last third {last:.0}/min");
        firsts.push(first);
        lasts.push(last);
        drop(session);
        bench.discard(database);
    }
    let ratios: Vec<f64> = lasts.iter().zip(&firsts).map(|(a, b)| a / b).collect();
    Ok(Section::new("Steadiness")
        .text(format!(
            "`tpcc_run` for {} s on {WAREHOUSES} warehouses with {WORKERS} workers, after {} s that do not \
             count, on a fresh copy of the loaded database: committed transactions of all types in the last \
             third of the time against the first, from the time series in `tpcc_runs`.",
            effort.long.as_secs(),
            effort.warm_up.as_secs()
        ))
        .figure(Figure::new("first third", "transactions/min", firsts))
        .figure(Figure::new("last third", "transactions/min", lasts))
        .figure(Figure::new("last third / first third", "", ratios).target(Target::AtLeast(0.9))))
}

/// Committed transactions a minute of the points that end after `from` and not after `to`, in seconds.
fn per_minute(series: &[SeriesPoint], from: f64, to: f64) -> Result<f64> {
    // A point may end a little after its second.
    const SLACK_S: f64 = 0.25;
    let within = |point: &&SeriesPoint| from + SLACK_S < point.t_s && point.t_s <= to + SLACK_S;
    let before = series.iter().filter(|point| point.t_s <= from + SLACK_S);
    let start = before.map(|point| point.t_s).fold(0.0, f64::max);
    let points: Vec<&SeriesPoint> = series.iter().filter(within).collect();
    let end = points.iter().map(|point| point.t_s).fold(0.0, f64::max);
    let committed: u64 = points
        .iter()
        .flat_map(|point| point.committed.values())
        .sum();
    if end <= start {
        return Err(format!("the time series has nothing from {from:.1} to {to:.1} s").into());
    }
    Ok(committed as f64 * 60.0 / (end - start))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use workload::TransactionType;

    use super::*;

    #[test]
    fn thirds_are_cut_at_the_ends_of_points() {
        let point = |second: u32| SeriesPoint {
            t_s: f64::from(second) + 0.01,
            committed: BTreeMap::from([(TransactionType::Payment.into(), u64::from(second) * 10)]),
            rolled_back: 0,
            failed: 0,
            retries: 0,
            p95_us: 0,
            client: None,
        };
        let series: Vec<SeriesPoint> = (1..=6).map(point).collect();
        // Seconds 1 and 2, then 5 and 6.
        assert!((per_minute(&series, 0.0, 2.0).unwrap() - 30.0 * 60.0 / 2.01).abs() < 1e-9);
        assert!((per_minute(&series, 4.0, 6.0).unwrap() - 110.0 * 60.0 / 2.0).abs() < 1e-9);
        assert!(per_minute(&series, 7.0, 9.0).is_err());
    }
}
