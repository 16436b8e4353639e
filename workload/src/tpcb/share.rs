//! Which of pgbench's builtin scripts are drawn, and how often.

use std::fmt;
use std::str::FromStr;

use super::WORKLOAD;
use crate::kind::Kind;
use crate::tpcc::Rng;

/// A builtin script of pgbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Account, teller and branch are changed, and history written.
    TpcbLike,
    /// Account and history alone.
    SimpleUpdate,
    /// An account's balance is read.
    SelectOnly,
}

/// A script and its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The script.
    pub builtin: Builtin,
    /// How often it is drawn, as against the others.
    pub weight: u32,
}

/// Scripts with their weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares(Vec<Share>);

/// The largest weight.
const MOST_WEIGHT: u32 = 10_000;

/// A text that names no builtin script, or a weight that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no builtin script: tpcb-like, simple-update or select-only was expected, with @weight where there \
     are several (tpcb-like@1,select-only@9), a weight being 0 to {MOST_WEIGHT} and not all of them 0"
)]
pub struct UnknownBuiltin(pub String);

impl Shares {
    /// One script only.
    pub fn only(builtin: Builtin) -> Shares {
        Shares(vec![Share { builtin, weight: 1 }])
    }

    /// Draws a script.
    pub fn draw(&self, rng: &mut Rng) -> Builtin {
        let [only] = self.0[..] else {
            let sum = self.0.iter().map(|share| u64::from(share.weight)).sum();
            let mut rest = rng.below(sum);
            for share in &self.0 {
                match rest.checked_sub(share.weight.into()) {
                    Some(less) => rest = less,
                    None => return share.builtin,
                }
            }
            return self.0[0].builtin;
        };
        only.builtin
    }

    /// The types of the scripts that are drawn.
    pub fn kinds(&self) -> Vec<Kind> {
        let drawn = self.0.iter().filter(|share| share.weight > 0);
        drawn
            .map(|share| WORKLOAD.kind(share.builtin as usize))
            .collect()
    }

    /// Whether none of them writes.
    pub fn is_read_only(&self) -> bool {
        let writes = |share: &Share| share.weight > 0 && share.builtin != Builtin::SelectOnly;
        !self.0.iter().any(writes)
    }
}

impl FromStr for Shares {
    type Err = UnknownBuiltin;

    fn from_str(text: &str) -> Result<Shares, UnknownBuiltin> {
        let unknown = || UnknownBuiltin(text.to_owned());
        let mut shares = Vec::new();
        for part in text.split(',') {
            let (name, weight) = part.split_once('@').unwrap_or((part, "1"));
            let weight = weight.parse().ok().filter(|weight| *weight <= MOST_WEIGHT);
            let builtin = match name.trim() {
                "tpcb-like" => Builtin::TpcbLike,
                "simple-update" => Builtin::SimpleUpdate,
                "select-only" => Builtin::SelectOnly,
                _ => return Err(unknown()),
            };
            let weight = weight.ok_or_else(unknown)?;
            shares.push(Share { builtin, weight });
        }
        if shares.iter().all(|share| share.weight == 0) {
            return Err(unknown());
        }
        Ok(Shares(shares))
    }
}

impl fmt::Display for Shares {
    /// What [`Shares::from_str`] reads back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, share) in self.0.iter().enumerate() {
            let name = WORKLOAD.transactions[share.builtin as usize];
            let comma = if index > 0 { "," } else { "" };
            match self.0.len() {
                1 => write!(f, "{name}")?,
                _ => write!(f, "{comma}{name}@{}", share.weight)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::Stream;

    #[test]
    fn shares_are_read_and_told_alike() {
        for text in ["tpcb-like", "tpcb-like@1,select-only@9"] {
            assert_eq!(text.parse::<Shares>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "tpcb",
            "tpcb-like@x",
            "tpcb-like@0",
            "select-only@-1",
            "tpcb-like@10001",
        ] {
            assert!(text.parse::<Shares>().is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_drawn_as_asked() {
        let shares: Shares = "tpcb-like@1,simple-update@0,select-only@3".parse().unwrap();
        let mut rng = Rng::keyed(1, Stream::Caller, 0);
        let mut counts = [0; 3];
        for _ in 0..40_000 {
            counts[shares.draw(&mut rng) as usize] += 1;
        }
        assert!((9_500..10_500).contains(&counts[0]), "{counts:?}");
        assert_eq!(counts[1], 0);
        assert_eq!(shares.kinds().len(), 2);
    }
}
