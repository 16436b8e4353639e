//! What the network costs: the same work statement by statement and in one call, over a longer round trip.

use std::time::Duration;

use workload::TransactionType;
use workload::result::ResultDocument;

use crate::bench::Bench;
use crate::report::{Figure, Section, Target};
use crate::{Result, client};

/// The simulated round trip.
const ROUND_TRIP: Duration = Duration::from_millis(5);
/// Connections of every run.
const CONNECTIONS: &str = "8";

/// Measures both modes in turns.
pub fn measure(bench: &Bench) -> Result<Section> {
    let effort = bench.effort;
    let database = bench.loaded(effort.warehouses)?;
    let (mut statements, mut pipelined, mut udf) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=effort.rounds {
        for (mode, documents) in [
            ("statements", &mut statements),
            ("pipelined", &mut pipelined),
            ("udf", &mut udf),
        ] {
            let arguments = ["-M", mode, "-c", CONNECTIONS, "--simulate-rtt", "5ms"];
            bench.settle()?;
            let outcome = client::run(bench, &database, effort.yardstick, &arguments)?;
            documents.push(outcome.document);
        }
        let last = |documents: &[ResultDocument]| documents.last().map_or(0.0, |d| d.headline().0);
        eprintln!(
            "  round {round}: {:.0} new orders/min by statements, {:.0} pipelined, {:.0} by functions",
            last(&statements),
            last(&pipelined),
            last(&udf)
        );
    }
    bench.discard(database);
    let per_minute =
        |documents: &[ResultDocument]| documents.iter().map(|d| d.headline().0).collect::<Vec<_>>();
    let pairs = udf.iter().zip(&statements);
    let ratio: Vec<f64> = pairs
        .map(|(a, b)| a.headline().0 / b.headline().0)
        .collect();
    let mut section = Section::new("What the network costs")
        .text(format!(
            "{CONNECTIONS} connections, each answer held back by {} ms in the client (simulated), {} \
             warehouses, {} s a round. \"Off the share\" is how far the network's share of the time, as \
             `tpcc run` tells it, is from what the delay implies: round trips, as counted, times {} ms over \
             the mean latency.",
            ROUND_TRIP.as_millis(),
            effort.warehouses,
            effort.yardstick.as_secs(),
            ROUND_TRIP.as_millis()
        ))
        .figure(Figure::new("statements", "new orders/min", per_minute(&statements)))
        .figure(Figure::new("pipelined", "new orders/min", per_minute(&pipelined)))
        .figure(Figure::new("udf", "new orders/min", per_minute(&udf)))
        .figure(Figure::new("udf / statements", "", ratio).target(Target::AtLeast(15.0)));
    for (name, documents) in [
        ("statements", &statements),
        ("pipelined", &pipelined),
        ("udf", &udf),
    ] {
        section = section
            .figure(Figure::new(
                format!("{name}: round trips of a New-Order"),
                "",
                documents.iter().filter_map(new_order_trips),
            ))
            .figure(Figure::new(
                format!("{name}: network's share"),
                "%",
                documents.iter().filter_map(share),
            ))
            .figure(
                Figure::new(
                    format!("{name}: off the share"),
                    "percentage points",
                    documents.iter().filter_map(off_the_share),
                )
                .target(Target::AtMost(5.0)),
            );
    }
    Ok(section)
}

fn new_order_trips(document: &ResultDocument) -> Option<f64> {
    let parts = &document.client.as_ref()?.parts;
    Some(parts.get(&TransactionType::NewOrder.into())?.round_trips)
}

fn share(document: &ResultDocument) -> Option<f64> {
    Some(document.client.as_ref()?.parts_total?.network.share * 100.0)
}

fn off_the_share(document: &ResultDocument) -> Option<f64> {
    let parts = document.client.as_ref()?.parts_total?;
    let delay_us = parts.round_trips * ROUND_TRIP.as_secs_f64() * 1e6;
    let implied = delay_us / document.total.service.mean_us * 100.0;
    Some((parts.network.share * 100.0 - implied).abs())
}
