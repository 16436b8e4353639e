//! Runs of `tpcc_run`, with the documents that they leave.

use std::time::Duration;

use workload::result::ResultDocument;

use crate::Result;
use crate::bench::SCHEMA;
use crate::session::Session;

/// Runs the standard mix and gives the result document that was kept.
///
/// # Errors
/// Where the run fails, or ends before its time, or a transaction failed in it.
pub fn run(
    session: &Session,
    workers: u32,
    ramp_up: Duration,
    time: Duration,
) -> Result<ResultDocument> {
    session.run(&format!(
        "SELECT * FROM tpcc_run(duration => '{} s', workers => {workers}, ramp_up => '{} s', \
         schema => '{SCHEMA}', report_interval => '0')",
        time.as_secs(),
        ramp_up.as_secs()
    ))?;
    let newest = format!("SELECT result FROM {SCHEMA}.tpcc_results ORDER BY run_id DESC LIMIT 1");
    let document = ResultDocument::parse(&session.value::<String>(&newest)?)?;
    if let Some(error) = document.errors.first() {
        return Err(format!(
            "{} transactions failed: {}",
            error.count, error.first_message
        )
        .into());
    }
    match &document.partial_reason {
        Some(reason) => Err(format!("the run ended early: {reason}").into()),
        None => Ok(document),
    }
}

/// Orders that were ever entered, counted from the next numbers of the districts. An order that was
/// rolled back leaves no trace there.
pub fn orders_entered(session: &Session) -> Result<i64> {
    session.value(&format!("SELECT sum(d_next_o_id) FROM {SCHEMA}.district"))
}
