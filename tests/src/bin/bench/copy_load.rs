//! What a load is compared with: the same rows by COPY FREEZE from ready-made files, then the same
//! indexes, vacuum and statistics, over two psql sessions.
//!
//! The steps form the same graph as in `tpcc_load`, and a session that is free takes the most urgent
//! step that is ready. How long each takes is learnt from a pass that does not count: the comparison
//! is meant to be as fast as a careful person could make it by hand.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use workload::tpcc::Table;

use crate::Result;
use crate::bench::{Bench, SCHEMA};
use crate::psql::Psql;
use crate::session::Session;

const TABLES: &str = include_str!("../../../../sql/tables.sql");
const INDEXES: &str = include_str!("../../../../sql/indexes.sql");

/// The schema that is filled.
pub const COPIED: &str = "copied";
/// Sessions that fill it.
pub const SESSIONS: usize = 2;
/// What helps the sessions: room for each sort in memory; the sessions themselves are the parallelism;
/// a scan from the table's start meets the rows in the order of the key.
pub const SETTINGS: [(&str, &str); 3] = [
    ("maintenance_work_mem", "256MB"),
    ("max_parallel_maintenance_workers", "0"),
    ("synchronize_seqscans", "off"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Rows,
    Index,
    Constraint,
    Vacuum,
}

#[derive(Clone, Debug)]
struct Job {
    step: Step,
    table: Table,
    sql: String,
    /// As the last pass has found.
    seconds: f64,
}

impl Job {
    fn waits_for(&self, other: &Job) -> bool {
        self.table == other.table && self.step > other.step
    }
}

/// How long it took to fill the schema, in seconds.
pub struct Filled {
    /// From the first step's start to the last one's end.
    pub whole: f64,
    /// Rows, added up over the sessions.
    pub rows: f64,
    /// Indexes and keys, added up.
    pub indexes: f64,
    /// Vacuum and statistics, added up.
    pub vacuum: f64,
}

/// Files with the rows of a loaded schema, and the steps that make a schema of them.
pub struct CopyLoad<'a> {
    bench: &'a Bench,
    database: String,
    jobs: Vec<Job>,
}

impl<'a> CopyLoad<'a> {
    /// Writes the rows of the loaded schema in this database to files of the server.
    pub fn export(bench: &'a Bench, database: &str) -> Result<CopyLoad<'a>> {
        let server = bench.cluster().server();
        let folder = server.place().dir().join("copy");
        std::fs::create_dir_all(&folder)?;
        server.account().take(&folder)?;
        let session = bench.session(database);
        for table in Table::ALL.map(Table::name) {
            let file = file(&folder, table);
            session.run(&format!(
                "COPY {SCHEMA}.{table} TO '{}' (FORMAT binary)",
                file.display()
            ))?;
        }
        let fillfactors = session.rows(&format!(
            "SELECT key, value FROM {SCHEMA}.tpcc_scale, jsonb_each_text(fillfactors)"
        ))?;
        let fillfactors: HashMap<String, String> = fillfactors
            .iter()
            .filter_map(|row| Some((row.get(0)?.to_owned(), row.get(1)?.to_owned())))
            .collect();
        Ok(CopyLoad {
            bench,
            database: database.to_owned(),
            jobs: jobs(&folder, &fillfactors)?,
        })
    }

    /// Makes the schema from nothing.
    pub fn fill(&mut self) -> Result<Filled> {
        let setup: Vec<String> = SETTINGS
            .iter()
            .map(|(name, value)| format!("SET {name} = '{value}';"))
            .collect();
        let mut sessions = Vec::new();
        for _ in 0..SESSIONS {
            let mut psql = Psql::start(self.command())?;
            psql.run(&setup.join("\n"))?;
            sessions.push(psql);
        }
        let start = Instant::now();
        let seconds = work(&self.jobs, sessions, start)?;
        let whole = start.elapsed().as_secs_f64();
        for (job, seconds) in self.jobs.iter_mut().zip(seconds) {
            job.seconds = seconds;
        }
        let of = |steps: &[Step]| {
            let jobs = self.jobs.iter().filter(|job| steps.contains(&job.step));
            jobs.map(|job| job.seconds).sum()
        };
        Ok(Filled {
            whole,
            rows: of(&[Step::Rows]),
            indexes: of(&[Step::Index, Step::Constraint]),
            vacuum: of(&[Step::Vacuum]),
        })
    }

    /// The schema gone, and made anew without anything in it.
    pub fn clear(&self, session: &Session) -> Result<()> {
        session.run(&format!("DROP SCHEMA IF EXISTS {COPIED} CASCADE"))?;
        session.run(&format!("CREATE SCHEMA {COPIED}"))
    }

    /// That both schemas have the same number of rows and the same keys and indexes, or the comparison
    /// means nothing.
    pub fn compare(&self, session: &Session) -> Result<()> {
        for table in Table::ALL.map(Table::name) {
            let facts = |schema: &str| -> Result<String> {
                session.value(&format!(
                    "SELECT (SELECT count(*) FROM {schema}.{table}) || ' rows, ' || \
                     (SELECT count(*) || ' indexes, ' || count(*) FILTER (WHERE indisprimary) || ' keys' \
                      FROM pg_index WHERE indrelid = '{schema}.{table}'::regclass)"
                ))
            };
            let (ours, theirs) = (facts(SCHEMA)?, facts(COPIED)?);
            if ours != theirs {
                return Err(format!("{table}: loaded {ours}, copied {theirs}").into());
            }
        }
        Ok(())
    }

    fn command(&self) -> Command {
        self.bench
            .cluster()
            .psql(&self.database, tpcc::cluster::SUPERUSER)
    }
}

fn file(folder: &Path, table: &str) -> PathBuf {
    folder.join(table).with_extension("bin")
}

fn jobs(folder: &Path, fillfactors: &HashMap<String, String>) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    let mut add = |step, table, sql| {
        let seconds = 0.0;
        jobs.push(Job {
            step,
            table,
            sql,
            seconds,
        });
    };
    for table in Table::ALL {
        let name = table.name();
        let create = statement(TABLES, &format!("TABLE IF NOT EXISTS {{schema}}.{name} "))?;
        let fillfactor = fillfactors.get(name).map_or("100", String::as_str);
        let create = create
            .replace("{unlogged}", "")
            .replace(&format!("{{fillfactor_{name}}}"), fillfactor)
            .replace("{schema}", COPIED);
        let file = file(folder, name);
        // FREEZE wants a table that was made in the same transaction.
        let copy = format!(
            "COPY {COPIED}.{name} FROM '{}' WITH (FORMAT binary, FREEZE);",
            file.display()
        );
        add(
            Step::Rows,
            table,
            format!("BEGIN;\n{create}\n{copy}\nCOMMIT;"),
        );
        for block in INDEXES.split("\n-- ").skip(1) {
            let (head, sql) = block.split_once('\n').unwrap_or((block, ""));
            let step = match head.split_once(&format!(": {name} ")) {
                Some(("index", _)) => Step::Index,
                Some(("constraint", _)) => Step::Constraint,
                _ => continue,
            };
            add(step, table, sql.replace("{schema}", COPIED));
        }
        let vacuum = format!("VACUUM (ANALYZE, PARALLEL 0) {COPIED}.{name};");
        add(Step::Vacuum, table, vacuum);
    }
    Ok(jobs)
}

/// The statement with this mark in it, with its semicolon and without the comments before it.
fn statement(text: &str, mark: &str) -> Result<String> {
    let found = text.split_inclusive(";\n").find(|s| s.contains(mark));
    let found = found.ok_or_else(|| format!("no statement with \"{mark}\""))?;
    let lines = found.lines().filter(|line| !line.starts_with("--"));
    Ok(lines.collect::<Vec<_>>().join("\n").trim().to_owned())
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Waiting,
    Running,
    Done(f64),
}

/// Does all jobs. Gives the seconds of each.
fn work(jobs: &[Job], sessions: Vec<Psql>, start: Instant) -> Result<Vec<f64>> {
    let states = Mutex::new(vec![State::Waiting; jobs.len()]);
    let changed = Condvar::new();
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for mut psql in sessions {
            let (states, changed, failed) = (&states, &changed, &failed);
            scope.spawn(move || {
                let mut guard = states.lock().unwrap_or_else(PoisonError::into_inner);
                loop {
                    if let Some(i) = next(jobs, &guard) {
                        guard[i] = State::Running;
                        drop(guard);
                        let begun = start.elapsed();
                        let result = psql.run(&jobs[i].sql);
                        let seconds = (start.elapsed() - begun).as_secs_f64();
                        guard = states.lock().unwrap_or_else(PoisonError::into_inner);
                        guard[i] = State::Done(seconds);
                        if let Err(error) = result {
                            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                            guard.fill(State::Done(0.0));
                        }
                        changed.notify_all();
                    } else if guard.contains(&State::Waiting) {
                        guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
                    } else {
                        return;
                    }
                }
            });
        }
    });
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let states = states.into_inner().unwrap_or_else(PoisonError::into_inner);
    let seconds = states.iter().map(|state| match state {
        State::Done(seconds) => *seconds,
        _ => 0.0,
    });
    Ok(seconds.collect())
}

/// Of the jobs that are ready, the one with the longest way to the end of all that follows it.
fn next(jobs: &[Job], states: &[State]) -> Option<usize> {
    let done = |i: usize| matches!(states[i], State::Done(_));
    let ready = |i: &usize| {
        states[*i] == State::Waiting
            && (0..jobs.len()).all(|j| done(j) || !jobs[*i].waits_for(&jobs[j]))
    };
    let urgency = |i: &usize| {
        let after = jobs.iter().filter(|job| job.waits_for(&jobs[*i]));
        jobs[*i].seconds + after.map(|job| job.seconds).sum::<f64>()
    };
    (0..jobs.len())
        .filter(ready)
        .max_by(|a, b| urgency(a).total_cmp(&urgency(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_jobs() -> Vec<Job> {
        jobs(Path::new("/files"), &HashMap::new()).unwrap()
    }

    #[test]
    fn every_table_has_its_rows_keys_and_vacuum() {
        let jobs = all_jobs();
        let count = |step: Step| jobs.iter().filter(|job| job.step == step).count();
        assert_eq!(count(Step::Rows), 9);
        assert_eq!(count(Step::Index), INDEXES.matches("\n-- index: ").count());
        assert_eq!(count(Step::Constraint), 8);
        assert_eq!(count(Step::Vacuum), 9);
        assert!(
            jobs.iter().all(|job| !job.sql.contains('{')),
            "a placeholder is left"
        );
        assert!(jobs.iter().all(|job| job.sql.trim().ends_with(';')));
    }

    #[test]
    fn the_longest_way_begins_first_and_steps_of_a_table_follow_each_other() {
        let mut jobs = all_jobs();
        for job in &mut jobs {
            job.seconds = if job.table == Table::OrderLine {
                2.0
            } else {
                1.0
            };
        }
        let mut states = vec![State::Waiting; jobs.len()];
        let first = next(&jobs, &states).unwrap();
        assert_eq!(
            (jobs[first].table, jobs[first].step),
            (Table::OrderLine, Step::Rows)
        );
        states[first] = State::Running;
        let second = next(&jobs, &states).unwrap();
        assert_eq!(jobs[second].step, Step::Rows);
        states[first] = State::Done(2.0);
        let third = next(&jobs, &states).unwrap();
        assert_eq!(
            (jobs[third].table, jobs[third].step),
            (Table::OrderLine, Step::Index)
        );
    }
}
