//! A load, everything included, against the same rows by COPY FREEZE.

use std::time::Instant;

use crate::Result;
use crate::bench::{Bench, LOAD_WORKERS, SCHEMA, load};
use crate::copy_load::{self, CopyLoad, Filled};
use crate::report::{Figure, Section, Target};
use crate::session::Session;

/// Loads and copies in turns.
pub fn measure(bench: &Bench) -> Result<Section> {
    let warehouses = bench.effort.warehouses;
    let database = bench.fresh_database();
    let session = bench.session(database.name());

    eprintln!("  a load and a copy that do not count");
    session.run(&load(warehouses))?;
    let mut copy = CopyLoad::export(bench, database.name())?;
    copy.clear(&session)?;
    copy.fill()?;
    copy.compare(&session)?;

    let (mut loads, mut copies) = (Vec::new(), Vec::new());
    for round in 1..=bench.effort.rounds {
        clear(bench, &session, &copy)?;
        let start = Instant::now();
        session.run(&load(warehouses))?;
        loads.push(start.elapsed().as_secs_f64());

        clear(bench, &session, &copy)?;
        copies.push(copy.fill()?);
        eprintln!(
            "  round {round}: load {:.2} s, copy {:.2} s",
            loads[loads.len() - 1],
            copies[copies.len() - 1].whole
        );
    }
    copy.clear(&session)?;
    drop(session);
    bench.discard(database);
    Ok(section(warehouses, loads, &copies))
}

/// Nothing there but the files, and nothing left to be written.
fn clear(bench: &Bench, session: &Session, copy: &CopyLoad) -> Result<()> {
    session.run(&format!("DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"))?;
    copy.clear(session)?;
    bench.settle()
}

fn section(warehouses: i32, loads: Vec<f64>, copies: &[Filled]) -> Section {
    let ratios: Vec<f64> = loads.iter().zip(copies).map(|(a, b)| a / b.whole).collect();
    let each: Vec<f64> = loads.iter().map(|s| s / f64::from(warehouses)).collect();
    let parts = |part: fn(&Filled) -> f64| copies.iter().map(part);
    let settings: Vec<String> = copy_load::SETTINGS
        .iter()
        .map(|(name, value)| format!("`{name} = {value}`"))
        .collect();
    Section::new("Load")
        .text(format!(
            "{warehouses} warehouses with {LOAD_WORKERS} workers, everything included: `{}`.",
            load(warehouses)
        ))
        .text(format!(
            "Against it the same rows by `COPY ... FROM file WITH (FORMAT binary, FREEZE)`, from files that \
             are ready on the server and in its page cache, each into a table made in the same \
             transaction; then the same indexes and keys (`sql/indexes.sql`), then `VACUUM (ANALYZE)` of \
             each table. {} psql sessions with {} share the steps: a session that is free takes the step \
             with the longest way to its table's end, by the times of a pass that does not count.",
            copy_load::SESSIONS,
            settings.join(", ")
        ))
        .text("Load and copy in turns, a checkpoint and an idle server before each.")
        .figure(Figure::new("`tpcc_load`", "s", loads))
        .figure(Figure::new("COPY FREEZE", "s", parts(|copy| copy.whole)))
        .figure(Figure::new("rows of it, added up over the sessions", "s", parts(|copy| copy.rows)))
        .figure(Figure::new("indexes and keys of it", "s", parts(|copy| copy.indexes)))
        .figure(Figure::new("vacuum and statistics of it", "s", parts(|copy| copy.vacuum)))
        .figure(Figure::new("load, a warehouse", "s", each).target(Target::AtMost(0.8)))
        .figure(Figure::new("`tpcc_load` / COPY FREEZE", "", ratios).target(Target::AtMost(1.0)))
}
