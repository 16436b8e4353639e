//! The SQL files of `sql/`, taken apart into the statements and jobs of a load.

use super::{Fillfactors, costs};
use crate::tpcc::Table;

const TABLES: &str = include_str!("../../../sql/tables.sql");
const INDEXES: &str = include_str!("../../../sql/indexes.sql");
const FOREIGN_KEYS: &str = include_str!("../../../sql/foreign_keys.sql");

/// The tables in which a schema remembers what was done to it.
pub const STATE_TABLES: [&str; 4] = ["tpcc_load", "tpcc_load_part", "tpcc_scale", "tpcc_results"];

/// The indexes without which no run begins, by name: those of `indexes.sql`.
pub const INDEX_NAMES: [&str; 10] = [
    "customer_name_idx",
    "customer_pkey",
    "district_pkey",
    "item_pkey",
    "new_order_pkey",
    "order_line_pkey",
    "orders_customer_idx",
    "orders_pkey",
    "stock_pkey",
    "warehouse_pkey",
];

/// A statement that creates a table.
pub struct Creation {
    /// The table's name.
    pub name: String,
    /// CREATE TABLE, with everything filled in.
    pub sql: String,
}

/// The statements of `tables.sql` for a schema, whose name comes quoted.
pub fn tables(schema: &str, unlogged: bool, fillfactors: &Fillfactors) -> Vec<Creation> {
    statements(TABLES)
        .map(|statement| {
            let name = after(&statement, "{schema}.").to_owned();
            let mut sql = statement.replace("{unlogged}", if unlogged { "UNLOGGED" } else { "" });
            for table in Table::ALL {
                let place = format!("{{fillfactor_{}}}", table.name());
                sql = sql.replace(&place, &fillfactors.of(table).to_string());
            }
            Creation {
                name,
                sql: sql.replace("{schema}", schema),
            }
        })
        .collect()
}

/// What a job after the load of the rows does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Builds an index.
    Index,
    /// Makes a built index a primary key.
    Constraint,
    /// Adds and checks a foreign key.
    ForeignKey,
    /// VACUUM and ANALYZE.
    Vacuum,
}

/// A job after the load of the rows.
#[derive(Debug)]
pub struct Job {
    /// What it does.
    pub kind: Kind,
    /// The table it belongs to.
    pub table: Table,
    /// The other table of a foreign key.
    pub refers_to: Option<Table>,
    /// The name of the index or constraint.
    pub name: String,
    /// The statement, with everything filled in.
    pub sql: String,
}

impl Job {
    /// Whether it touches the table.
    pub fn touches(&self, table: Table) -> bool {
        self.table == table || self.refers_to == Some(table)
    }

    /// Whether it must not begin before `earlier` is done: a table can be vacuumed while another one's
    /// index is being built, but not while its own is, since the two commands lock each other out.
    pub fn waits_for(&self, earlier: &Job) -> bool {
        let shares_a_table = earlier.touches(self.table)
            || self.refers_to.is_some_and(|table| earlier.touches(table));
        let order = |kind: Kind| match kind {
            Kind::Index => 0,
            Kind::Constraint => 1,
            Kind::ForeignKey => 2,
            Kind::Vacuum => 3,
        };
        shares_a_table && order(self.kind) > order(earlier.kind)
    }
}

/// How urgent each job is: what it costs in nanoseconds together with all that waits for it, for tables
/// of so many rows.
pub fn urgency(jobs: &[Job], rows: impl Fn(Table) -> u64) -> Vec<u64> {
    let cost = |job: &Job| costs::job_ns(job, rows(job.table));
    let after = |job: &Job| {
        jobs.iter()
            .filter(|later| later.waits_for(job))
            .map(cost)
            .sum::<u64>()
    };
    jobs.iter().map(|job| cost(job) + after(job)).collect()
}

/// All jobs that a schema may need; the same list, in the same order, whoever asks.
pub fn jobs(schema: &str) -> Vec<Job> {
    let mut jobs = blocks(INDEXES, schema);
    jobs.extend(blocks(FOREIGN_KEYS, schema));
    jobs.extend(Table::ALL.map(|table| Job {
        kind: Kind::Vacuum,
        table,
        refers_to: None,
        name: String::new(),
        sql: vacuum(schema, table),
    }));
    jobs
}

/// The command that leaves a table ready for its first run.
fn vacuum(schema: &str, table: Table) -> String {
    // FREEZE costs a few per cent of the load where the rows are written once and hardly touched
    // again, and saves the table's next vacuum; rows that a run rewrites would be frozen in vain.
    let freeze = match table {
        Table::Item | Table::History | Table::Orders | Table::OrderLine => "FREEZE, ",
        _ => "",
    };
    format!(
        "VACUUM ({freeze}ANALYZE, PARALLEL 0) {schema}.{}",
        table.name()
    )
}

/// Blocks of "-- <kind>: <table> <name>" and a statement.
fn blocks(text: &str, schema: &str) -> Vec<Job> {
    let mut jobs = Vec::new();
    let mut head = None;
    let mut sql = String::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("-- ") {
            head = head_of(comment).or(head);
        } else if let Some((kind, table, name)) = &head {
            sql.push_str(line);
            sql.push('\n');
            if let Some(statement) = sql.trim().strip_suffix(';') {
                let refers_to = statement
                    .contains("REFERENCES")
                    .then(|| after(after_text(statement, "REFERENCES "), "{schema}."))
                    .and_then(table_named);
                jobs.push(Job {
                    kind: *kind,
                    table: *table,
                    refers_to,
                    name: name.clone(),
                    sql: statement.replace("{schema}", schema),
                });
                head = None;
                sql.clear();
            }
        }
    }
    jobs
}

fn head_of(comment: &str) -> Option<(Kind, Table, String)> {
    let (kind, rest) = comment.split_once(": ")?;
    let kind = match kind {
        "index" => Kind::Index,
        "constraint" => Kind::Constraint,
        "foreign_key" => Kind::ForeignKey,
        _ => return None,
    };
    let (table, name) = rest.split_once(' ')?;
    Some((kind, table_named(table)?, name.to_owned()))
}

/// The table of a name.
pub fn table_named(name: &str) -> Option<Table> {
    Table::ALL.into_iter().find(|table| table.name() == name)
}

/// Statements without the comments in front of them.
fn statements(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(";\n").filter_map(|piece| {
        let lines: Vec<_> = piece
            .lines()
            .filter(|line| !line.starts_with("--"))
            .collect();
        let statement = lines.join("\n").trim().to_owned();
        (!statement.is_empty()).then_some(statement)
    })
}

fn after_text<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

/// The name that follows a mark.
fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    let rest = after_text(text, mark);
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    &rest[..end]
}

/// `text` as an SQL string.
pub fn literal(text: &str) -> String {
    let escaped = text.replace('\'', "''");
    if escaped.contains('\\') {
        format!("E'{}'", escaped.replace('\\', "\\\\"))
    } else {
        format!("'{escaped}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_its_jobs_and_no_placeholder_is_left() {
        let jobs = jobs("\"my schema\"");
        let count = |kind: Kind| jobs.iter().filter(|job| job.kind == kind).count();
        let indexes = jobs.iter().filter(|job| job.kind == Kind::Index);
        let mut names: Vec<&str> = indexes.map(|job| job.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, INDEX_NAMES);
        assert_eq!(count(Kind::Constraint), 8);
        assert_eq!(count(Kind::ForeignKey), 10);
        assert_eq!(count(Kind::Vacuum), 9);
        for job in &jobs {
            assert!(!job.sql.contains('{'), "{}", job.sql);
            assert_eq!(job.refers_to.is_some(), job.kind == Kind::ForeignKey);
        }
        for creation in tables("s", true, &Fillfactors::default()) {
            assert!(!creation.sql.contains('{'), "{}", creation.sql);
        }
    }

    #[test]
    fn a_vacuum_waits_for_the_keys_of_its_table_only() {
        let jobs = jobs("s");
        let named = |kind, name: &str| {
            let mut jobs = jobs.iter();
            jobs.find(|job| job.kind == kind && (job.name == name || job.table.name() == name))
                .unwrap()
        };
        let vacuum = named(Kind::Vacuum, "stock");
        assert!(vacuum.waits_for(named(Kind::Index, "stock_pkey")));
        assert!(!vacuum.waits_for(named(Kind::Index, "orders_pkey")));
        assert!(
            named(Kind::ForeignKey, "stock_item_fkey")
                .waits_for(named(Kind::Constraint, "item_pkey"))
        );
    }

    #[test]
    fn literals_are_safe() {
        assert_eq!(literal("o'clock"), "'o''clock'");
        assert_eq!(literal(r"a\'b"), r"E'a\\''b'");
    }
}
