//! How throughput and round trips change with the number of connections.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinSet, LocalSet};
use tokio_postgres::Statement;

use super::times::{Figures, Times};
use super::{ProbeError, calls};
use crate::connect::Connector;
use crate::driver::engine::allow_files;
use crate::wire::{Link, Wire};

/// By how much more than the best before a number of connections must win, to have won anything.
pub const GAIN: f64 = 0.05;

/// What a sweep does.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The most connections.
    pub connections: u32,
    /// Threads that drive them.
    pub threads: u32,
    /// How long each step is measured.
    pub step_time: Duration,
}

/// Some connections at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// How many.
    pub connections: u32,
    /// Calls a second over all of them.
    pub calls_per_second: f64,
    /// The time of a call.
    pub round_trip: Figures,
}

/// The steps up to the last one that could be measured, and why there is no further one if there should
/// be.
pub struct Outcome {
    /// One after the other, with ever more connections.
    pub steps: Vec<Step>,
    /// What ended it early.
    pub ended: Option<ProbeError>,
}

/// Numbers of connections: the powers of two, and at last the greatest.
pub fn numbers(most: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |n| n.checked_mul(2));
    let mut numbers: Vec<u32> = powers.take_while(|n| *n < most).collect();
    numbers.push(most);
    numbers
}

/// The number of connections from which on more of them win nothing: no step after it has [`GAIN`] more
/// calls a second. None while the last step still won.
pub fn enough(steps: &[Step]) -> Option<u32> {
    let (last, steps) = steps.split_last()?;
    let mut best_after = last.calls_per_second;
    let mut found = None;
    for step in steps.iter().rev() {
        if best_after < step.calls_per_second * (1.0 + GAIN) {
            found = Some(step.connections);
        }
        best_after = best_after.max(step.calls_per_second);
    }
    found
}

/// Measures one step after the other; `wire` tells how the connections of a step travel.
pub async fn measure(
    connector: &Connector,
    plan: Plan,
    wire: impl Fn(u32) -> Wire,
    progress: &dyn Fn(&str),
) -> Outcome {
    // Where it is not enough, the step that lacks files says so.
    let _ = allow_files(plan.connections);
    let mut crew = Vec::new();
    let mut steps = Vec::new();
    for connections in numbers(plan.connections) {
        progress(&format!("connections: {connections}"));
        while crew.len() < plan.threads.min(connections) as usize {
            crew.push(Worker::start(connector));
        }
        match step(&mut crew, connections, wire(connections), plan.step_time).await {
            Ok(step) => steps.push(step),
            Err(error) => {
                let ended = Some(error);
                return Outcome { steps, ended };
            }
        }
    }
    Outcome { steps, ended: None }
}

async fn step(
    crew: &mut [Worker],
    connections: u32,
    wire: Wire,
    time: Duration,
) -> Result<Step, ProbeError> {
    let threads = crew.len();
    for (number, worker) in crew.iter().enumerate() {
        let share = (connections as usize + threads - 1 - number) / threads;
        worker.order(Order::Open { share, wire });
    }
    for worker in crew.iter_mut() {
        worker.report().await?;
    }
    for worker in crew.iter() {
        worker.order(Order::Measure(time));
    }
    let mut times = Times::default();
    let mut calls_per_second = 0.0;
    for worker in crew.iter_mut() {
        let (part, elapsed) = worker.report().await?;
        calls_per_second += part.count() as f64 / elapsed.as_secs_f64();
        times.merge(&part);
    }
    let round_trip = times.figures().ok_or(ProbeError::NoCall(time))?;
    Ok(Step {
        connections,
        calls_per_second,
        round_trip,
    })
}

enum Order {
    /// Have so many connections of this kind.
    Open { share: usize, wire: Wire },
    /// Call over all of them for so long.
    Measure(Duration),
}

type Report = Result<(Times, Duration), ProbeError>;

/// A thread with its share of the connections; it ends with this value.
struct Worker {
    orders: mpsc::Sender<Order>,
    reports: UnboundedReceiver<Report>,
    stop: Arc<AtomicBool>,
}

impl Worker {
    fn start(connector: &Connector) -> Worker {
        let (orders, given) = mpsc::channel();
        let (reporter, reports) = unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        let (connector, stopped) = (connector.clone(), Arc::clone(&stop));
        thread::spawn(move || work(&connector, &given, &reporter, &stopped));
        Worker {
            orders,
            reports,
            stop,
        }
    }

    fn order(&self, order: Order) {
        // A thread that has ended says why by its last report.
        let _ = self.orders.send(order);
    }

    async fn report(&mut self) -> Report {
        let report = self.reports.recv().await;
        report.unwrap_or_else(|| Err(ProbeError::Thread("it ended".into())))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

fn work(
    connector: &Connector,
    orders: &mpsc::Receiver<Order>,
    reporter: &UnboundedSender<Report>,
    stop: &Arc<AtomicBool>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = reporter.send(Err(ProbeError::Thread(error.to_string())));
            return;
        }
    };
    let mut calling = Vec::new();
    let mut kind = Wire::default();
    for order in orders {
        let report = match order {
            Order::Open { share, wire } => {
                if wire != kind {
                    runtime.block_on(close(std::mem::take(&mut calling)));
                    kind = wire;
                }
                let opened = runtime.block_on(open(connector, &mut calling, share, wire));
                opened.map(|()| (Times::default(), Duration::ZERO))
            }
            Order::Measure(time) => {
                LocalSet::new().block_on(&runtime, call_all(&mut calling, time, stop))
            }
        };
        if reporter.send(report).is_err() {
            return;
        }
    }
    runtime.block_on(close(calling));
}

struct Calling {
    link: Link,
    statement: Statement,
}

async fn open(
    connector: &Connector,
    calling: &mut Vec<Calling>,
    share: usize,
    wire: Wire,
) -> Result<(), ProbeError> {
    while calling.len() < share {
        let mut link = connector.open(wire).await?;
        let prepared = link.drive(async |client| client.prepare(calls::SELECT_1).await);
        let prepared = prepared.await;
        let statement = prepared.map_err(|error| calls::lost(&mut link, error))?;
        calling.push(Calling { link, statement });
    }
    Ok(())
}

async fn close(calling: Vec<Calling>) {
    for Calling { link, statement } in calling {
        drop(statement);
        link.close().await;
    }
}

async fn call_all(calling: &mut Vec<Calling>, time: Duration, stop: &Arc<AtomicBool>) -> Report {
    let times = Rc::new(RefCell::new(Times::default()));
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for mut one in std::mem::take(calling) {
        let (times, stop) = (Rc::clone(&times), Arc::clone(stop));
        tasks.spawn_local(async move {
            let done = one.call_until(start + time, &times, &stop).await;
            done.map(|()| one)
        });
    }
    while let Some(task) = tasks.join_next().await {
        calling.push(task.map_err(|error| ProbeError::Thread(error.to_string()))??);
    }
    let elapsed = start.elapsed();
    Ok((times.take(), elapsed))
}

impl Calling {
    async fn call_until(
        &mut self,
        end: Instant,
        times: &RefCell<Times>,
        stop: &AtomicBool,
    ) -> Result<(), ProbeError> {
        let Calling { link, statement } = self;
        let calls = link.drive(async |client| {
            let mut before = Instant::now();
            while before < end && !stop.load(Relaxed) {
                client.execute(&*statement, &[]).await?;
                let after = Instant::now();
                times.borrow_mut().record(after - before);
                before = after;
            }
            Ok(())
        });
        let calls = calls.await;
        calls.map_err(|error| calls::lost(link, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(per_second: &[f64]) -> Vec<Step> {
        let mut times = Times::default();
        times.record(Duration::from_micros(10));
        let step = |(number, per_second): (usize, &f64)| Step {
            connections: 1 << number,
            calls_per_second: *per_second,
            round_trip: times.figures().unwrap(),
        };
        per_second.iter().enumerate().map(step).collect()
    }

    #[test]
    fn connections_double_up_to_the_greatest_number() {
        assert_eq!(numbers(1), [1]);
        assert_eq!(numbers(2), [1, 2]);
        assert_eq!(numbers(17), [1, 2, 4, 8, 16, 17]);
        assert_eq!(numbers(300), [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    }

    #[test]
    fn it_is_enough_where_nothing_after_it_wins() {
        assert_eq!(enough(&steps(&[10.0, 20.0, 40.0])), None);
        assert_eq!(enough(&steps(&[10.0, 20.0, 20.5, 20.9])), Some(2));
        // A dip before the best is no end.
        assert_eq!(enough(&steps(&[10.0, 9.0, 20.0, 19.0])), Some(4));
        assert_eq!(enough(&steps(&[10.0])), None);
        assert_eq!(enough(&[]), None);
    }
}
