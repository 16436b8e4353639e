//! The result document: what is kept of a run, and the one owner of its format.

mod client;
mod config;
mod format;
mod merge;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::kind::{Headline, Kind, Workload};
use crate::stats::{Counters, ErrorCount, Interval, Snapshot, Summary, TypeSummary};

pub use client::{ClientFacts, ClientPoint, Fairness, LatencyLimit, Outage, StatementCounts};
pub use config::{Flavour, Mode, RunConfig, TpccConfig};
pub(crate) use format::Header;
pub use format::{FormatError, ResultSet, SET_FORMAT_NAME};
pub use merge::merge;

/// What every result document says it is.
pub const FORMAT_NAME: &str = "pg_tpcc result";
/// The version of the format. It grows when a reader of the old one would misread the new one; fields
/// that may be absent can be added without.
pub const FORMAT_VERSION: u32 = 1;

/// A setting that is not the server's default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// As in pg_settings.
    pub name: String,
    /// With its unit, as SHOW has it.
    pub value: String,
    /// As in pg_settings: "configuration file", "command line" and so on.
    pub source: String,
}

/// The size of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSize {
    /// The table's name, without its schema.
    pub name: String,
    /// The heap with its maps and TOAST, in bytes.
    pub table_bytes: u64,
    /// The indexes, in bytes.
    pub index_bytes: u64,
}

/// The server that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerInfo {
    /// As version() has it.
    pub version: String,
    /// As server_version_num has it.
    pub version_num: i32,
    /// Settings that are not the default.
    pub settings: Vec<Setting>,
    /// The schema's tables, as they were when the run ended.
    pub tables: Vec<TableSize>,
}

/// The identity of the counts over all types: started = committed + rolled_back + failed + skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounting {
    /// The counts of all types together.
    #[serde(flatten)]
    pub counters: Counters,
    /// Districts in which a Delivery found no order to deliver (clause 2.7.4.2).
    pub delivery_skipped_districts: u64,
    /// Whether the identity held for each type.
    pub balanced: bool,
}

/// The histograms of a type, as base64 of HdrHistogram's compressed V2 format, in microseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistogramTexts {
    /// Times from when a transaction was due.
    pub response: String,
    /// Times from when it was begun.
    pub service: String,
}

/// A second of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesPoint {
    /// When the second ended, in seconds since the measuring began.
    pub t_s: f64,
    /// Committed transactions by type.
    pub committed: BTreeMap<Kind, u64>,
    /// Transactions rolled back as they should.
    pub rolled_back: u64,
    /// Transactions that ended in an error.
    pub failed: u64,
    /// Tries after 40001 or 40P01.
    pub retries: u64,
    /// The 95th percentile of the response times in microseconds.
    pub p95_us: u64,
    /// What the client saw, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientPoint>,
}

impl SeriesPoint {
    /// Of an interval of a workload's run.
    pub fn new(workload: &'static Workload, interval: &Interval) -> SeriesPoint {
        let total = interval.total();
        let committed = |kind: Kind| (kind, interval.types[kind.index()].committed);
        SeriesPoint {
            t_s: interval.end_s,
            committed: workload.kinds().map(committed).collect(),
            rolled_back: total.rolled_back,
            failed: total.failed,
            retries: total.retries(),
            p95_us: interval.p95_us,
            client: None,
        }
    }
}

/// What is kept of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultDocument {
    /// [`FORMAT_NAME`].
    pub format: String,
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// The program that wrote it, with its version.
    pub written_by: String,
    /// Who ran the logic of the transactions.
    pub mode: Mode,
    /// Which functions were called.
    pub flavour: Flavour,
    /// How the run was set up.
    pub config: RunConfig,
    /// The server that was measured.
    pub server: ServerInfo,
    /// When the measuring began, RFC 3339.
    pub started_at: String,
    /// When it ended, RFC 3339.
    pub ended_at: String,
    /// How long was measured, in seconds.
    pub elapsed_s: f64,
    /// Whether the run ended before its time.
    pub partial: bool,
    /// Why it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_reason: Option<String>,
    /// Committed New-Orders a minute; of TPC-C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_orders_per_minute: Option<f64>,
    /// Committed transactions of all types a minute.
    pub transactions_per_minute: f64,
    /// A summary a type.
    pub types: Vec<TypeSummary>,
    /// All types together.
    pub total: TypeSummary,
    /// The identity of the counts.
    pub accounting: Accounting,
    /// The histograms of each type that has times.
    pub histograms: BTreeMap<Kind, HistogramTexts>,
    /// Errors by SQLSTATE, the most frequent first.
    pub errors: Vec<ErrorCount>,
    /// A point a second.
    pub series: Vec<SeriesPoint>,
    /// What the client knows, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientFacts>,
}

/// What a run was, beside its counts: the parts of a document that the recorder does not know.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFacts {
    /// The program that writes the document, with its version.
    pub written_by: String,
    /// Who ran the logic of the transactions.
    pub mode: Mode,
    /// Which functions were called.
    pub flavour: Flavour,
    /// How the run was set up.
    pub config: RunConfig,
    /// The server that was measured.
    pub server: ServerInfo,
    /// When the measuring began, RFC 3339.
    pub started_at: String,
    /// When it ended, RFC 3339.
    pub ended_at: String,
    /// How long was measured, in seconds.
    pub elapsed_s: f64,
    /// Why the run ended before its time, if it did.
    pub partial_reason: Option<String>,
    /// Errors by SQLSTATE.
    pub errors: Vec<ErrorCount>,
    /// A point a second.
    pub series: Vec<SeriesPoint>,
    /// What the client knows, if there was one.
    pub client: Option<ClientFacts>,
}

impl ResultDocument {
    /// The document of a run from what it was and what was counted.
    pub fn new(facts: RunFacts, counts: &Snapshot) -> ResultDocument {
        let workload = facts.config.workload();
        let Summary {
            elapsed_s,
            types,
            total,
            new_orders_per_minute,
            transactions_per_minute,
            delivery_skipped_districts,
        } = counts.summary(workload, facts.elapsed_s);
        let texts = |t: Kind| HistogramTexts {
            response: counts.of(t).response.to_base64(),
            service: counts.of(t).service.to_base64(),
        };
        let with_times = workload
            .kinds()
            .filter(|&t| counts.of(t).response.count() > 0);
        ResultDocument {
            format: FORMAT_NAME.to_owned(),
            version: FORMAT_VERSION,
            written_by: facts.written_by,
            mode: facts.mode,
            flavour: facts.flavour,
            config: facts.config,
            server: facts.server,
            started_at: facts.started_at,
            ended_at: facts.ended_at,
            elapsed_s,
            partial: facts.partial_reason.is_some(),
            partial_reason: facts.partial_reason,
            new_orders_per_minute,
            transactions_per_minute,
            accounting: Accounting {
                counters: total.counters,
                delivery_skipped_districts,
                balanced: counts.is_balanced(),
            },
            types,
            total,
            histograms: with_times.map(|t| (t, texts(t))).collect(),
            errors: facts.errors,
            series: facts.series,
            client: facts.client,
        }
    }

    /// The workload's number, as [`Headline`] has it, and what it counts.
    pub fn headline(&self) -> (f64, &'static str) {
        match self.config.workload().headline {
            Headline::PerMinute(index, name) => {
                let types = self.types.get(index);
                (types.map_or(0.0, |of_type| of_type.per_minute), name)
            }
            Headline::PerSecond => (self.transactions_per_minute / 60.0, "transactions/s"),
        }
    }

    /// Reads a document.
    ///
    /// # Errors
    /// [`FormatError`] if the text is no result document, one of another version of the format, or of a
    /// workload that this version does not have.
    pub fn parse(json: &str) -> Result<ResultDocument, FormatError> {
        let header: Header = serde_json::from_str(json)?;
        header.check(FORMAT_NAME, FORMAT_VERSION)?;
        let document: ResultDocument = serde_json::from_str(json)?;
        document.check_workload()?;
        Ok(document)
    }

    fn check_workload(&self) -> Result<(), FormatError> {
        match Workload::named(&self.config.workload) {
            Some(workload) if workload.transactions.len() == self.types.len() => Ok(()),
            Some(workload) => Err(FormatError::OtherTypes {
                found: self.types.len(),
                expected: workload.transactions.len(),
            }),
            None => Err(FormatError::UnknownWorkload(self.config.workload.clone())),
        }
    }

    /// The document as JSON on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a result document has string keys and finite numbers")
    }

    /// The document as JSON for people.
    pub fn to_json_pretty(&self) -> String {
        serde_json::to_string_pretty(self)
            .expect("a result document has string keys and finite numbers")
    }
}

/// A moment as RFC 3339 in UTC with microseconds, from microseconds since 1970-01-01 00:00:00 UTC.
pub fn rfc3339(unix_us: i64) -> String {
    let (days, us_of_day) = (
        unix_us.div_euclid(86_400_000_000),
        unix_us.rem_euclid(86_400_000_000),
    );
    // Years that begin in March, counted in eras of 400 years, have their leap day at the end.
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = (shifted_month + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let (s, us) = (us_of_day / 1_000_000, us_of_day % 1_000_000);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{us:06}Z",
        s / 3_600,
        s / 60 % 60,
        s % 60
    )
}
