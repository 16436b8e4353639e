//! The private memory of a load's workers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::bench::{Bench, LOAD_WORKERS, load};
use crate::report::{Figure, Section, Target};
use crate::{Result, process};

/// How a worker of a load calls itself.
const TITLE: &str = "pg_tpcc load worker";
const SAMPLE_EVERY: Duration = Duration::from_millis(2);
const LOOK_FOR_WORKERS_EVERY: Duration = Duration::from_millis(50);

/// Watches loads of two sizes.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new("Memory of a load").text(format!(
        "The most private memory (`RssAnon`, so without the server's shared memory) that one of \
         {LOAD_WORKERS} workers had, looked at every {} ms, less that of an idle session.",
        SAMPLE_EVERY.as_millis()
    ));
    for warehouses in bench.effort.memory_warehouses {
        let mut rounds = Vec::new();
        for round in 1..=bench.effort.rounds {
            let database = bench.fresh_database();
            let above = above_idle(bench, database.name(), warehouses)?;
            eprintln!("  round {round}: {warehouses} warehouses, {above:.1} MB");
            rounds.push(above);
            bench.discard(database);
        }
        section = section.figure(
            Figure::new(
                format!("load of {warehouses}, largest worker"),
                "MB",
                rounds,
            )
            .target(Target::AtMost(64.0)),
        );
    }
    Ok(section)
}

/// The peak of the largest worker above an idle session, in MB of 1,048,576 bytes.
fn above_idle(bench: &Bench, database: &str, warehouses: i32) -> Result<f64> {
    let idle = bench.session(database);
    let idle_kib = process::private_kib(idle.pid()?).ok_or("an idle session has no memory")?;
    let session = bench.session(database);
    let postmaster = bench.postmaster()?;
    let over = AtomicBool::new(false);
    let (loaded, peaks) = std::thread::scope(|scope| {
        let sampler = scope.spawn(|| peaks(postmaster, &over));
        let loaded = session.run(&load(warehouses));
        over.store(true, Ordering::Relaxed);
        (loaded, sampler.join().unwrap_or_default())
    });
    loaded?;
    if peaks.len() != LOAD_WORKERS as usize {
        return Err(format!(
            "{} workers were seen in a load with {LOAD_WORKERS}",
            peaks.len()
        )
        .into());
    }
    let peak = peaks.values().copied().max().unwrap_or_default();
    Ok(peak.saturating_sub(idle_kib) as f64 / 1024.0)
}

/// The most private memory of each worker in KiB, by its process.
fn peaks(postmaster: u32, over: &AtomicBool) -> HashMap<u32, u64> {
    let mut peaks: HashMap<u32, u64> = HashMap::new();
    let mut looked: Option<Instant> = None;
    while !over.load(Ordering::Relaxed) {
        if looked.is_none_or(|looked| looked.elapsed() > LOOK_FOR_WORKERS_EVERY) {
            looked = Some(Instant::now());
            let workers = process::children(postmaster).into_iter();
            for pid in workers.filter(|pid| process::title(*pid).contains(TITLE)) {
                peaks.entry(pid).or_default();
            }
        }
        for (pid, peak) in &mut peaks {
            *peak = (*peak).max(process::private_kib(*pid).unwrap_or_default());
        }
        std::thread::sleep(SAMPLE_EVERY);
    }
    peaks
}
