//! What a probe found: its document, and the round trip taken apart.

use serde::{Deserialize, Serialize};

use super::sweep::Step;
use super::times::Figures;
use super::workspace::TableKind;

/// What the document calls itself.
pub const FORMAT_NAME: &str = "tpcc probe";
/// The version of its format.
pub const FORMAT_VERSION: u32 = 1;

/// A part of the probe: what it found, or why it was left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Part<T> {
    /// Left out.
    Skipped {
        /// Why.
        skipped: String,
    },
    /// Measured.
    Measured(T),
}

impl<T> Part<T> {
    /// Left out for this reason.
    pub fn skipped(reason: impl Into<String>) -> Part<T> {
        Part::Skipped {
            skipped: reason.into(),
        }
    }

    /// What was found, if it was measured.
    pub fn measured(&self) -> Option<&T> {
        match self {
            Part::Measured(found) => Some(found),
            Part::Skipped { .. } => None,
        }
    }
}

impl Part<Figures> {
    pub(super) fn of(figures: Option<Figures>) -> Part<Figures> {
        match figures {
            Some(figures) => Part::Measured(figures),
            None => Part::skipped("no call ended within the time of a part"),
        }
    }
}

/// Everything that a probe found. Times are in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeDocument {
    /// [`FORMAT_NAME`].
    pub format: String,
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// The program that wrote it.
    pub written_by: String,
    /// When it began, in seconds since 1970-01-01 00:00 UTC.
    pub started_at_unix_s: u64,
    /// Which server, in words.
    pub target: String,
    /// The server's version.
    pub server_version: String,
    /// Whether a round trip was made longer by the client.
    pub simulated: bool,
    /// By how much.
    pub simulated_rtt_us: f64,
    /// How long the client spins before it sleeps, over one connection.
    pub spin_us: f64,
    /// What the tool itself adds.
    pub floor: Floor,
    /// What the protocol and parsing cost.
    pub protocol: Protocol,
    /// The same insert in the server and from the client.
    pub insert: Part<Insert>,
    /// Transactions of one insert.
    pub commit: Part<Commit>,
    /// What it takes to open a connection.
    pub connect: Connect,
    /// More and more connections.
    pub sweep: Sweep,
    /// Where the round trip of an insert goes.
    pub decomposition: Part<Vec<Share>>,
}

impl ProbeDocument {
    /// The document as JSON, with a line break at its end.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self);
        json.expect("texts and numbers can be written to memory") + "\n"
    }
}

/// Round trips to an echo in the tool itself: all that is the client's, and two hops over the machine's
/// own network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// An empty query.
    pub empty: Figures,
    /// A prepared statement.
    pub prepared: Figures,
}

/// Round trips of statements with nothing to do, over one connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// An empty query.
    pub empty: Figures,
    /// `SELECT 1` as text.
    pub simple: Figures,
    /// `SELECT 1` through the unnamed statement.
    pub extended: Figures,
    /// `SELECT 1`, prepared before.
    pub prepared: Figures,
}

/// One insert after the other, all in one transaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Insert {
    /// The kind of table.
    pub table: TableKind,
    /// (a) In a loop inside the server: gaps between rows.
    pub server: Figures,
    /// (b) From the client, prepared, a call each.
    pub client: Figures,
    /// Gaps between the rows of (b), by the server's clock.
    pub gap: Figures,
    /// b - a of the means.
    pub round_trip_mean_us: f64,
    /// b - a of the medians.
    pub round_trip_median_us: f64,
}

/// Transactions of one insert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Commit {
    /// Whether the server waits for its disk at all.
    pub fsync: bool,
    /// With synchronous_commit on.
    pub on: Figures,
    /// With synchronous_commit off.
    pub off: Figures,
}

/// From nothing to a connection that can be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Connect {
    /// Without TLS.
    pub plain: Part<Figures>,
    /// With TLS.
    pub tls: Part<Figures>,
}

/// `SELECT 1`, prepared, over more and more connections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// How many connections were asked for.
    pub asked: u32,
    /// What kept it from that many.
    pub limited_by: Option<String>,
    /// The steps.
    pub steps: Vec<Step>,
    /// From so many connections on, more of them win nothing.
    pub enough: Option<u32>,
}

/// A part of a round trip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// What takes the time.
    pub name: String,
    /// How long.
    pub us: f64,
    /// How much of the whole, in percent.
    pub percent: f64,
    /// How that is known.
    pub from: String,
}

/// Takes the round trip of an insert apart, by means without the longest 5%. The shares add up to the
/// whole.
///
/// * client: the floor, what the tool adds over its own echo;
/// * network: what an empty query takes longer than with the echo, for the server does next to nothing
///   for it;
/// * simulated: what the client was asked to add;
/// * the server's own time for the statement: (a);
/// * protocol: what is left of (b): messages, binding, starting the executor.
///
/// A difference of two measurements can be below nothing where there is next to nothing to measure.
pub(super) fn decompose(
    floor: &Floor,
    protocol: &Protocol,
    insert: &Insert,
    simulated_us: f64,
) -> Vec<Share> {
    let whole = insert.client.trimmed_us;
    let client = floor.prepared.trimmed_us;
    let network = protocol.empty.trimmed_us - floor.empty.trimmed_us - simulated_us;
    let server = insert.server.trimmed_us;
    let rest = whole - client - network - simulated_us - server;
    let share = |name: &str, us: f64, from: &str| Share {
        name: name.into(),
        us,
        percent: us / whole * 100.0,
        from: from.into(),
    };
    let mut shares = vec![
        share("client", client, "this tool and its own echo"),
        share("network", network, "an empty query, less one to the echo"),
    ];
    if simulated_us > 0.0 {
        shares.push(share("network, simulated", simulated_us, "--simulate-rtt"));
    }
    shares.push(share(
        "protocol and parsing",
        rest,
        "(b), less all the others",
    ));
    shares.push(share(
        "the statement itself",
        server,
        "(a), inside the server",
    ));
    shares
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::times::Times;
    use super::*;

    fn figures(us: u64) -> Figures {
        let mut times = Times::default();
        times.record(Duration::from_micros(us));
        times.figures().unwrap()
    }

    #[test]
    fn the_shares_add_up_to_the_round_trip() {
        let floor = Floor {
            empty: figures(10),
            prepared: figures(12),
        };
        let protocol = Protocol {
            empty: figures(1_310),
            simple: figures(1_320),
            extended: figures(1_330),
            prepared: figures(1_315),
        };
        let insert = Insert {
            table: TableKind::Ordinary,
            server: figures(5),
            client: figures(1_330),
            gap: figures(1_331),
            round_trip_mean_us: 1_325.0,
            round_trip_median_us: 1_325.0,
        };
        let shares = decompose(&floor, &protocol, &insert, 1_000.0);
        let expected = [
            ("client", 12.0),
            ("network", 300.0),
            ("network, simulated", 1_000.0),
            ("protocol and parsing", 13.0),
            ("the statement itself", 5.0),
        ];
        assert_eq!(shares.len(), expected.len());
        for (share, (name, us)) in shares.iter().zip(expected) {
            assert_eq!(share.name, name);
            // To three figures of the longest.
            assert!((share.us - us).abs() < 3.0, "{share:?}");
        }
        let percent: f64 = shares.iter().map(|share| share.percent).sum();
        assert!((percent - 100.0).abs() < 1e-9, "{percent}");
    }

    #[test]
    fn what_is_left_out_keeps_its_reason_in_json() {
        let part: Part<Figures> = Part::skipped("no TLS");
        let text = serde_json::to_string(&part).unwrap();
        assert_eq!(text, r#"{"skipped":"no TLS"}"#);
        assert_eq!(serde_json::from_str::<Part<Figures>>(&text).unwrap(), part);
        let part = Part::Measured(figures(5));
        let text = serde_json::to_string(&part).unwrap();
        assert_eq!(serde_json::from_str::<Part<Figures>>(&text).unwrap(), part);
    }
}
