//! Workloads whose transactions are lists of statements known beforehand: no statement depends on the answer
//! of another, so that one description gives every way to run them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::kind::{Kind, Workload};

/// A workload as it is to be run: its scale, its knobs and what it sends.
pub trait Script: Debug + Send + Sync {
    /// What it is to those who count.
    fn workload(&self) -> &'static Workload;

    /// Its statements; a [`Step`] names one by its place.
    fn statements(&self) -> &'static [Statement];

    /// The call of a function that does a whole transaction of a type, by its place; the function's last
    /// column is the server's own time in microseconds.
    fn calls(&self) -> &'static [Statement];

    /// What is installed in the schema of the data for these calls.
    fn routines(&self) -> Vec<Routine>;

    /// The values of that call.
    fn call(&self, transaction: &Transaction) -> Vec<Value>;

    /// Its tables of which there may be any number, by number: what `{table}` stands for in a statement.
    fn tables(&self) -> Vec<String>;

    /// The names of all its tables.
    fn relations(&self) -> Vec<String>;

    /// What the extension's function that runs it is told beside what every run is told: names and texts.
    fn run_arguments(&self) -> Vec<(&'static str, String)>;

    /// The shares of the types, as the command line reads them.
    fn mix(&self) -> String;

    /// How much data there is, for people: "scale 100".
    fn size(&self) -> String;

    /// Every knob by name, for the result document.
    fn parameters(&self) -> BTreeMap<String, serde_json::Value>;

    /// What one of `terminals` sends: the same for the same seed, in every mode.
    fn terminal(&self, seed: i64, terminal: u32, terminals: u32) -> Box<dyn Terminal>;
}

/// One who sends transactions.
pub trait Terminal: Debug + Send {
    /// The next transaction.
    fn next_transaction(&mut self) -> Transaction;
}

/// A statement as it is written in `sql/`.
#[derive(Debug)]
pub struct Statement {
    /// Its text, with the placeholders `{schema}` and `{table}`, each a quoted identifier.
    /// Its last column is the server's own time: in seconds, of a call in microseconds.
    pub sql: &'static str,
    /// The types of its parameters.
    pub types: &'static [Type],
    /// Whether it writes.
    pub writes: bool,
    /// What its first row is, where there must be one.
    pub must: Option<&'static str>,
}

/// A function or procedure that the client installs: a file in `sql/` with the placeholders `{schema}` and
/// `{schema_literal}`, and its body between two `$function$`.
#[derive(Debug, Clone)]
pub struct Routine {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its text.
    pub template: Cow<'static, str>,
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// int4
    Int4,
    /// int8
    Int8,
    /// text
    Text,
    /// int4[]
    Int4s,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// For int4 and int8.
    Int(i64),
    /// For text.
    Text(Box<str>),
    /// For int4[].
    Ints(Box<[i32]>),
}

/// A statement with its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The statement's place in [`Script::statements`].
    pub statement: usize,
    /// The place of its table in [`Script::tables`]; 0 where it names none.
    pub table: usize,
    /// The values of its parameters.
    pub values: Vec<Value>,
}

/// A transaction, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Its type.
    pub kind: Kind,
    /// What it sends, in order.
    pub steps: Vec<Step>,
    /// Whether BEGIN and COMMIT go around that; else it is one statement by itself.
    pub in_block: bool,
}
