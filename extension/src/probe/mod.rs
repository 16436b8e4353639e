//! The server's own time for a statement, without any client.

use workload::stats::HistogramSnapshot;

use crate::pg::error::{Result, catch};
use crate::pg::latch;
use crate::pg::spi::{self, Access, Plan, Spi};

const CREATE: &str = include_str!("../../../sql/probe/rt_create.sql");
const INSERT: &str = include_str!("../../../sql/probe/rt_insert.sql");
const ROWS: &str = include_str!("../../../sql/probe/rt_rows.sql");
const DROP: &str = include_str!("../../../sql/probe/rt_drop.sql");

/// Inserts one row after the other into a temporary table, each with the time of its insertion, and
/// gives the `samples` gaps between them in microseconds: what a statement takes, one after the other.
///
/// Errors: whatever PostgreSQL raises, for instance 42501 for a role that may make no temporary
/// tables, 25006 in a read-only transaction.
pub fn gaps(samples: i32) -> Result<HistogramSnapshot> {
    spi::connect(|spi| {
        spi.run(CREATE)?;
        let plan = spi.prepare(INSERT, &[], Access::ReadWrite)?;
        let inserted = catch(|| insert(spi, &plan, samples));
        plan.free();
        inserted?;
        let mut gaps = HistogramSnapshot::default();
        let mut before = None;
        spi.query(ROWS, &[], Access::ReadWrite, |row| {
            let at = row.timestamp(0);
            if let Some(before) = before.replace(at) {
                gaps.record(at.abs_diff(before));
            }
            Ok(())
        })?;
        spi.run(DROP)?;
        Ok(gaps)
    })
}

/// A gap has a row at either end.
fn insert(spi: &Spi, plan: &Plan, samples: i32) -> Result<()> {
    for _ in 0..=samples {
        latch::check_for_interrupts();
        spi.execute(plan, &[], |_| Ok(()))?;
    }
    Ok(())
}
