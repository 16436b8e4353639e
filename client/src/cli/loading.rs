//! What the loads of all workloads have in common on the command line.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use workload::schema::script::literal;

use super::{CliError, interrupt};
use crate::connect::Session;
use crate::flavour::FlavourArg;
use crate::load::query::{rows, text};

/// Connections that write: as many as were asked for, or one a processor of this machine.
pub(super) fn connections(asked: Option<u32>) -> usize {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or(cpus, |asked| asked as usize)
}

/// Time between two lines of progress: longer where they are kept in a file.
pub(super) fn report_every() -> Duration {
    Duration::from_secs(if stderr().is_terminal() { 2 } else { 10 })
}

/// Ready when the user wants the load to stop.
///
/// # Errors
/// [`CliError::Signals`].
pub(super) fn interrupted() -> Result<impl Future<Output = ()>, CliError> {
    interrupt::listen("stopping the load (Ctrl-C again leaves at once) ...")
        .map_err(CliError::Signals)
}

/// Bytes a second: a number with kB, MB or GB, and /s if one likes.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let bare = text.strip_suffix("/s").unwrap_or(text);
    let digits = bare
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(bare.len());
    let (number, unit) = bare.split_at(digits);
    let factor = match unit {
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        _ => return Err("a rate of writing looks like 20MB/s (kB, MB or GB)".into()),
    };
    match number.parse::<f64>() {
        Ok(number) if number * factor >= 1e4 && (number * factor).is_finite() => {
            Ok(number * factor)
        }
        _ => Err("a rate of writing is 10kB/s at least".into()),
    }
}

/// The schema of the extension, as an identifier, where it makes the rows: it is there, has the function for it, and
/// `flavour` is not against it. A load with a budget is by COPY unless told otherwise: the extension writes a unit at
/// once and pauses then, which a small disk feels.
///
/// # Errors
/// [`CliError::NoExtension`] where it was asked for and is not there.
pub(super) async fn maker(
    session: &Session,
    flavour: Option<FlavourArg>,
    has_budget: bool,
    function: &str,
) -> Result<Option<String>, CliError> {
    if flavour == Some(FlavourArg::Plpgsql) || flavour.is_none() && has_budget {
        return Ok(None);
    }
    let sql = include_str!("../../../sql/client/maker.sql");
    let found = rows(session, &sql.replace("{function}", &literal(function))).await?;
    match (found.first(), flavour) {
        (Some(row), _) => Ok(Some(text(row, 0).to_owned())),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(CliError::NoExtension),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_a_unit() {
        assert_eq!(rate("20MB/s"), Ok(20e6));
        assert_eq!(rate("1.5GB"), Ok(1.5e9));
        for text in ["20", "MB", "1kB/s", "-1MB/s", "20MB/min", ""] {
            assert!(rate(text).is_err(), "{text}");
        }
    }
}
