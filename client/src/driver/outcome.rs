//! What came of a run of the client: the result document.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio_postgres::Client;
use tokio_postgres::types::Type;
use workload::result::{
    ClientFacts, Fairness, LatencyLimit, Outage, ResultDocument, RunConfig, RunFacts, ServerInfo,
    Setting, StatementCounts, TableSize, TpccConfig, rfc3339,
};
use workload::retry::MAX_TRIES;
use workload::stats::{ErrorTally, HistogramSnapshot, Latency, Parts, Snapshot};
use workload::tpcc::NurandConstants;

use super::desk::{Loss, StationFigures};
use super::engine::{Measured, unix_us};
use super::plan::{Arrivals, Pace, Plan, Task};

/// From this share of a processor on, a thread is what the others wait for.
const BUSY_THREAD: f64 = 0.85;

/// The program that writes documents.
pub const WRITTEN_BY: &str = concat!("tpcc ", env!("CARGO_PKG_VERSION"));

/// Makes the document of a run on that server.
pub fn document(plan: &Plan, measured: Measured, server: ServerInfo) -> ResultDocument {
    let mut counts = Snapshot::default();
    for desk in &measured.desks {
        counts.merge(&desk.recorder.snapshot());
    }
    let sums = Sums::of(&measured);
    let total = counts.total().counters;
    let done = total.committed + total.rolled_back;
    let facts = RunFacts {
        written_by: WRITTEN_BY.to_owned(),
        mode: plan.mode,
        flavour: plan.flavour,
        config: config(plan),
        server,
        started_at: rfc3339(measured.began_unix_us),
        ended_at: rfc3339(unix_us()),
        elapsed_s: measured.elapsed.as_secs_f64(),
        partial_reason: measured.partial_reason.clone(),
        errors: sums.errors.clone().into_counts(),
        client: Some(sums.facts(plan, &measured, done)),
        series: measured.series,
    };
    ResultDocument::new(facts, &counts)
}

/// The plan as a document has it.
pub fn config(plan: &Plan) -> RunConfig {
    let (mix, load_seed, tpcc, parameters) = match &plan.task {
        Task::Tpcc(task) => {
            let data = &task.sets[0];
            let tpcc = TpccConfig {
                warehouses: data.warehouses as u32,
                home_warehouse: task.home,
                constants: NurandConstants::run(plan.seed, data.c_last_load),
                c_last_load: data.c_last_load,
            };
            let mix = task.mix.to_string();
            (mix, Some(data.load_seed), Some(tpcc), BTreeMap::new())
        }
        Task::Script(task) => (task.script.mix(), None, None, task.script.parameters()),
    };
    RunConfig {
        workload: plan.workload().name.to_owned(),
        schema: plan.schema.clone(),
        workers: plan.connections,
        threads: Some(plan.threads),
        duration_s: plan.duration.as_secs_f64(),
        ramp_up_s: plan.ramp_up.as_secs_f64(),
        mix,
        rate: match plan.pace {
            Pace::Rate { per_second, .. } => Some(per_second),
            _ => None,
        },
        keying_thinking: plan.pace == Pace::KeyingThinking,
        isolation: plan.isolation.clone(),
        max_tries: MAX_TRIES,
        report_interval_s: plan
            .report_interval
            .map_or(0.0, |every| every.as_secs_f64()),
        seed: plan.seed,
        load_seed,
        tpcc,
        parameters,
    }
}

/// What the tallies of all threads add up to.
#[derive(Default)]
struct Sums {
    parts: Parts,
    round_trip: HistogramSnapshot,
    round_trips: u64,
    statements: StatementCounts,
    errors: ErrorTally,
    limit_exceeded: u64,
    reconnects: u64,
    bytes: (u64, u64),
    losses: Vec<Loss>,
    stations: Vec<StationFigures>,
    busy: Vec<(Duration, Duration)>,
}

impl Sums {
    fn of(measured: &Measured) -> Sums {
        let mut sums = Sums::default();
        for desk in &measured.desks {
            let tally = desk.tally();
            sums.parts.merge(&tally.parts);
            sums.round_trip.merge(&tally.round_trip);
            sums.round_trips += tally.round_trips;
            sums.statements.merge(&tally.statements);
            sums.errors.merge(&tally.errors);
            sums.limit_exceeded += tally.limit_exceeded;
            sums.reconnects += tally.reconnects;
            sums.bytes.0 += tally.bytes.0;
            sums.bytes.1 += tally.bytes.1;
            sums.losses.extend(tally.losses.iter().cloned());
            sums.stations.extend(&tally.stations);
            sums.busy.extend(tally.busy);
        }
        sums
    }

    fn facts(self, plan: &Plan, measured: &Measured, done: u64) -> ClientFacts {
        let summaries = plan.workload().kinds().zip(self.parts.summaries());
        let parts: BTreeMap<_, _> = summaries
            .filter_map(|(transaction, summary)| Some((transaction, summary?)))
            .collect();
        let thread_busy: Vec<f64> = self
            .busy
            .iter()
            .map(|(busy, of)| busy.as_secs_f64() / of.as_secs_f64().max(1e-9))
            .collect();
        let micros = |time: Duration| time.as_micros() as u64;
        ClientFacts {
            protocol: plan.protocol.name().to_owned(),
            tables: plan.schemas().len() as u32,
            simulated_rtt_us: (!plan.simulated_rtt.is_zero()).then(|| micros(plan.simulated_rtt)),
            rate_distribution: match plan.pace {
                Pace::Rate { arrivals, .. } => Some(Arrivals::name(arrivals).to_owned()),
                _ => None,
            },
            latency_limit: plan.latency_limit.map(|limit| LatencyLimit {
                limit_us: micros(limit),
                exceeded: self.limit_exceeded,
            }),
            round_trips_per_transaction: self.round_trips as f64 / done.max(1) as f64,
            round_trip: Latency::of(&self.round_trip),
            round_trip_samples: self.round_trip.count(),
            parts,
            parts_total: self.parts.total().summary(),
            statements: self.statements,
            bytes_sent: self.bytes.0,
            bytes_received: self.bytes.1,
            cpu_s: measured.cpu.as_secs_f64(),
            cpu_us_per_transaction: measured.cpu.as_secs_f64() * 1e6 / done.max(1) as f64,
            bottleneck: bottleneck(plan.wire().spin, &thread_busy),
            thread_busy,
            fairness: fairness(&self.stations),
            reconnects: self.reconnects,
            outages: outages(self.losses, measured.measured_from),
        }
    }
}

/// The evidence, when the client's own threads were what the server waited for. Threads that spin are
/// busy by intention.
fn bottleneck(spin: Duration, thread_busy: &[f64]) -> Option<String> {
    if !spin.is_zero() {
        return None;
    }
    let busy = thread_busy.iter().filter(|busy| **busy >= BUSY_THREAD);
    let most = thread_busy.iter().copied().fold(0.0, f64::max);
    match busy.count() {
        0 => None,
        count => Some(format!(
            "the client was the bottleneck: {count} of its {} threads used {:.0}% of a processor or more \
             (the busiest {:.0}%); give it more threads (-j) or a machine of its own",
            thread_busy.len(),
            BUSY_THREAD * 100.0,
            most * 100.0
        )),
    }
}

fn fairness(stations: &[StationFigures]) -> Fairness {
    let spread = |values: Vec<f64>| {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
        (mean, variance.sqrt())
    };
    let (transactions_avg, transactions_stddev) =
        spread(stations.iter().map(|s| s.transactions as f64).collect());
    let (busy_s_avg, busy_s_stddev) =
        spread(stations.iter().map(|s| s.busy.as_secs_f64()).collect());
    Fairness {
        transactions_avg,
        transactions_stddev,
        busy_s_avg,
        busy_s_stddev,
    }
}

/// Losses that overlap are one outage, as when the server restarts under all connections.
fn outages(mut losses: Vec<Loss>, measured_from: Instant) -> Vec<Outage> {
    losses.sort_by_key(|loss| loss.from);
    let mut merged: Vec<(Loss, u32)> = Vec::new();
    for loss in losses {
        match merged.last_mut() {
            Some((last, connections)) if last.to.is_none_or(|to| loss.from <= to) => {
                *connections += 1;
                last.to = match (last.to, loss.to) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    _ => None,
                };
            }
            _ => merged.push((loss, 1)),
        }
    }
    let seconds = |moment: Instant| {
        let ms = if moment >= measured_from {
            moment.duration_since(measured_from).as_millis() as f64
        } else {
            -(measured_from.duration_since(moment).as_millis() as f64)
        };
        ms / 1e3
    };
    merged
        .into_iter()
        .map(|(loss, connections)| Outage {
            from_s: seconds(loss.from),
            to_s: loss.to.map(seconds),
            connections,
            reason: loss.reason,
        })
        .collect()
}

/// What the server says of itself, and of the tables of a schema that comes quoted.
///
/// # Errors
/// What the server says.
pub async fn server_info(
    client: &Client,
    quoted: &str,
    relations: &[String],
) -> Result<ServerInfo, tokio_postgres::Error> {
    let sql = "SELECT pg_catalog.version(), pg_catalog.current_setting('server_version_num')::int4";
    let version = client.query_typed_one(sql, &[]).await?;
    let settings = client
        .query_typed(include_str!("../../../sql/server/settings.sql"), &[])
        .await?;
    let tables = client
        .query_typed(
            include_str!("../../../sql/server/tables.sql"),
            &[(&relations, Type::TEXT_ARRAY), (&quoted, Type::TEXT)],
        )
        .await?;
    Ok(ServerInfo {
        version: version.get(0),
        version_num: version.get(1),
        settings: settings
            .iter()
            .map(|row| Setting {
                name: row.get(0),
                value: row.get(1),
                source: row.get(2),
            })
            .collect(),
        tables: tables
            .iter()
            .map(|row| TableSize {
                name: row.get(0),
                table_bytes: row.get::<_, i64>(1) as u64,
                index_bytes: row.get::<_, i64>(2) as u64,
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_thread_is_the_bottleneck_unless_it_spins() {
        assert_eq!(bottleneck(Duration::ZERO, &[0.5, 0.84]), None);
        let evidence = bottleneck(Duration::ZERO, &[0.5, 0.93]).unwrap();
        assert!(evidence.starts_with("the client was the bottleneck: 1 of its 2 threads"));
        assert!(evidence.contains("93%"), "{evidence}");
        assert_eq!(bottleneck(Duration::from_micros(50), &[1.0]), None);
    }

    fn loss(base: Instant, from_ms: u64, to_ms: Option<u64>) -> Loss {
        let at = |ms| base + Duration::from_millis(ms);
        Loss {
            from: at(from_ms),
            to: to_ms.map(at),
            reason: "terminating connection".into(),
        }
    }

    #[test]
    fn losses_that_overlap_are_one_outage() {
        let base = Instant::now();
        let found = outages(
            vec![
                loss(base, 5_000, Some(6_000)),
                loss(base, 1_000, Some(2_000)),
                loss(base, 1_500, Some(2_500)),
                loss(base, 9_000, None),
            ],
            base + Duration::from_millis(1_200),
        );
        let times: Vec<_> = found
            .iter()
            .map(|o| (o.from_s, o.to_s, o.connections))
            .collect();
        assert_eq!(
            times,
            [(-0.2, Some(1.3), 2), (3.8, Some(4.8), 1), (7.8, None, 1)]
        );
    }
}
