//! The workloads that there are, and their transaction types.
//!
//! A workload is described in a module of its own and named in [`WORKLOADS`]; what counts, shows and keeps
//! transactions knows a type by its [`Kind`] alone.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::script::Script;

/// Every workload: the one list.
pub static WORKLOADS: [&Workload; 3] = [
    &crate::tpcc::WORKLOAD,
    &crate::tpcb::WORKLOAD,
    &crate::oltp::WORKLOAD,
];

/// The most transaction types that a workload may have.
pub const MAX_KINDS: usize = 8;

/// What a workload is called and which transactions it has.
#[derive(Debug)]
pub struct Workload {
    /// The name in SQL, on the command line and in result documents.
    pub name: &'static str,
    /// The names of its transaction types; no two workloads share one.
    pub transactions: &'static [&'static str],
    /// What is counted when it is told in one number.
    pub headline: Headline,
    /// SQLSTATEs beside 40001 and 40P01 that a transaction meets for no other reason than that another one was at
    /// the same rows: it is tried again, and counted as after 40001.
    pub conflicts: &'static [&'static [u8]],
    /// Makes it anew from the mix and the parameters that a result document has of it; none for TPC-C.
    pub script: Option<MakeScript>,
}

/// Makes a script from a mix and parameters; none where they are not its own.
pub type MakeScript = fn(&str, &BTreeMap<String, serde_json::Value>) -> Option<Arc<dyn Script>>;

/// The number that a run is told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headline {
    /// Committed transactions of one type a minute: its place, and what they are called.
    PerMinute(usize, &'static str),
    /// Committed transactions of all types a second.
    PerSecond,
}

impl Workload {
    /// Its transaction types, in their order.
    pub fn kinds(&'static self) -> impl ExactSizeIterator<Item = Kind> + Clone {
        (0..self.transactions.len()).map(|index| self.kind(index))
    }

    /// The type at a place.
    ///
    /// # Panics
    /// Where it has none.
    pub fn kind(&'static self, index: usize) -> Kind {
        assert!(index < self.transactions.len());
        Kind {
            workload: self,
            index: index as u8,
        }
    }

    /// The type of a name.
    pub fn kind_named(&'static self, name: &str) -> Option<Kind> {
        self.kinds().find(|kind| kind.name() == name)
    }

    /// The workload of a name.
    pub fn named(name: &str) -> Option<&'static Workload> {
        WORKLOADS.into_iter().find(|workload| workload.name == name)
    }
}

impl PartialEq for Workload {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Workload {}

/// A transaction type of a workload.
#[derive(Clone, Copy)]
pub struct Kind {
    workload: &'static Workload,
    index: u8,
}

impl Kind {
    /// The name in SQL, on the command line and in result documents.
    pub fn name(self) -> &'static str {
        self.workload.transactions[self.index()]
    }

    /// Its place among the types of its workload, from 0.
    pub const fn index(self) -> usize {
        self.index as usize
    }

    /// Whose type it is.
    pub const fn workload(self) -> &'static Workload {
        self.workload
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && self.workload == other.workload
    }
}

impl Eq for Kind {}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kind {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.workload.name, self.index).cmp(&(other.workload.name, other.index))
    }
}

impl Hash for Kind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = WORKLOADS.into_iter().find_map(|w| w.kind_named(&name));
        found.ok_or_else(|| {
            serde::de::Error::custom(format!("no workload has the transaction type \"{name}\""))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_told_apart_over_all_workloads() {
        let kinds = || WORKLOADS.into_iter().flat_map(Workload::kinds);
        let names: HashSet<&str> = kinds().map(Kind::name).collect();
        assert_eq!(names.len(), kinds().count());
        for kind in kinds() {
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(serde_json::from_str::<Kind>(&text).unwrap(), kind);
        }
        assert!(WORKLOADS.iter().all(|w| w.transactions.len() <= MAX_KINDS));
        assert!(serde_json::from_str::<Kind>("\"neworder\"").is_err());
    }
}
