//! A connection of a load: it takes tasks from the board until all are done, and survives the loss of its
//! connection.

use std::pin::pin;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::connect::CancelToken;
use futures_util::SinkExt;
use tokio_postgres::{Client, Error};
use workload::schema::script::{Kind, literal};
use workload::schema::{Part, Unit, lock};
use workload::tpcc::Row;

use super::board::Task;
use super::query::rows;
use super::{Options, Shared, Work};
use crate::connect::{Connector, LIFT_TIMEOUTS};
use crate::crew::{LoadError, Losses, chunks, is_loss, is_there_already, reopen};
use crate::wire::{Link, Wire};

/// How long a connection without work waits before it looks again.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// What every connection of a load sets for itself; none needs a right.
///
/// The connections are the parallelism. Two index builds on one table must not start in the middle of it,
/// where the other one is, because rows in the order of the key need no sorting. A commit waits for the log,
/// or a crash of the server could take back what is crossed off the board.
const SETTINGS: &str = "
    SET search_path = pg_catalog, pg_temp; SET synchronous_commit = on;
    SET max_parallel_maintenance_workers = 0; SET max_parallel_workers_per_gather = 0;
    SET synchronize_seqscans = off; SET application_name = 'tpcc load'";
/// From PostgreSQL 16 on: VACUUM writes every page that it reads, and with its small default ring it would
/// wait for the log at each round.
const RING: &str = "; SET vacuum_buffer_usage_limit = '16MB'";

/// What all connections together may take to sort index entries, in kB, unless the server allows a session
/// more by itself: half a gigabyte, which sorts those of 10 warehouses over 2 connections without a file.
const SORT_MEMORY: usize = 512 * 1024;
/// What a connection may take however many there are, in kB: PostgreSQL's default.
const LEAST_SORT_MEMORY: usize = 64 * 1024;
/// What it needs at most, in kB.
const MOST_SORT_MEMORY: usize = 256 * 1024;

/// The statement that sets how much memory one of `connections` sorts in.
fn sort_memory(connections: usize) -> String {
    let share = (SORT_MEMORY / connections.max(1)).clamp(LEAST_SORT_MEMORY, MOST_SORT_MEMORY);
    format!(
        "SELECT pg_catalog.set_config(name, greatest(setting::int8, {share})::text, false) \
         FROM pg_catalog.pg_settings WHERE name = 'maintenance_work_mem'"
    )
}

/// Opens one of `connections` with the settings of a load.
pub(super) async fn open(connector: &Connector, connections: usize) -> Result<Link, LoadError> {
    let mut link = connector.open(Wire::default()).await?;
    let version = link.parameter("server_version").unwrap_or_default();
    let major = version.split(|c: char| !c.is_ascii_digit()).next();
    let new = major.and_then(|major| major.parse::<u32>().ok()) >= Some(16);
    let ring = if new { RING } else { "" };
    let sql = format!(
        "{SETTINGS}{ring}; {LIFT_TIMEOUTS}; {}",
        sort_memory(connections)
    );
    link.drive(async |client| client.batch_execute(&sql).await)
        .await?;
    Ok(link)
}

/// One connection, by its number.
pub(super) struct Worker<'a> {
    pub(super) number: usize,
    pub(super) work: &'a Work,
}

impl Worker<'_> {
    /// Does tasks until none is left, or somebody failed.
    ///
    /// # Errors
    /// The first that is not a loss of the connection, or that lasts.
    pub(super) async fn work(&self, mut link: Link) -> Result<(), LoadError> {
        self.announce(&link);
        loop {
            if self.work.shared.is_stopped() {
                link.close().await;
                return Ok(());
            }
            let (task, done) = {
                let mut board = self.work.shared.board();
                (board.next(self.number), board.is_done())
            };
            let Some(task) = task else {
                if done {
                    link.close().await;
                    return Ok(());
                }
                // Kept moving meanwhile, so that a loss is noticed by the next statement at the latest.
                tokio::time::sleep(LOOK_EVERY).await;
                continue;
            };
            link = self.finish(link, task).await?;
            self.work.shared.board().done(task);
        }
    }

    /// Does one task, as often as it takes.
    ///
    /// # Errors
    /// [`LoadError::GaveUp`] too when the connection is lost again and again over the time for which a lost
    /// connection is tried.
    async fn finish(&self, mut link: Link, task: Task) -> Result<Link, LoadError> {
        let timeout = self.work.options.reconnect_timeout;
        let mut losses = Losses::new(timeout);
        loop {
            let result = link
                .drive(async |client| self.attempt(client, task).await)
                .await;
            let error = match result {
                Ok(()) => return Ok(link),
                Err(_) if self.work.shared.is_stopped() => return Err(LoadError::Interrupted),
                Err(LoadError::Server(error)) => error,
                Err(error) => return Err(error),
            };
            // What it was is kept for the message, should the task not be done after all.
            let mut refused = None;
            if is_loss(&error) || link.is_lost() {
                let error = link.take_loss().unwrap_or(error);
                self.work.shared.tell_loss(&error);
                if self.work.unlogged {
                    return Err(LoadError::Emptied);
                }
                losses.count(&error)?;
                let connections = self.work.options.connections;
                let again = async || open(&self.work.connector, connections).await;
                link = reopen(|| self.work.shared.is_stopped(), timeout, again).await?;
                self.announce(&link);
            } else if is_there_already(&error) {
                let rollback = async |client: &Client| client.batch_execute("ROLLBACK").await;
                link.drive(rollback).await?;
                refused = Some(error);
            } else {
                return Err(error.into());
            }
            // Lost while it was committed, or done by the server process that we lost.
            if link
                .drive(async |client| self.is_there(client, task).await)
                .await?
            {
                return Ok(link);
            }
            if let Some(error) = refused {
                return Err(error.into());
            }
        }
    }

    fn announce(&self, link: &Link) {
        let mut tokens = self
            .work
            .shared
            .tokens
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        tokens[self.number] = Some(link.cancel_token());
    }

    async fn attempt(&self, client: &Client, task: Task) -> Result<(), LoadError> {
        match task {
            Task::Item => self.unit(client, None, 0).await,
            Task::Unit(part, w_id) => self.unit(client, Some(part), w_id).await,
            Task::Job(job) => self.job(client, job).await,
        }
    }

    /// Writes a unit's rows and its line of the state in one transaction.
    async fn unit(&self, client: &Client, part: Option<Part>, w_id: i32) -> Result<(), LoadError> {
        let Options { schema, quoted, .. } = &self.work.options;
        let key = lock::key(lock::UNITS, schema);
        client
            .batch_execute(&format!(
                "BEGIN; SELECT pg_catalog.pg_advisory_xact_lock_shared({key})"
            ))
            .await?;
        let started = Instant::now();
        let rows = &self.work.population;
        let written = match part {
            None => self.table(client, rows.items()).await?,
            Some(Part::Orders) => {
                self.table(client, rows.order_lines(w_id)).await?
                    + self.table(client, rows.orders(w_id)).await?
                    + self.table(client, rows.new_orders(w_id)).await?
            }
            Some(Part::Stock) => self.table(client, rows.stock(w_id)).await?,
            Some(Part::Customers) => {
                self.table(client, rows.customers(w_id)).await?
                    + self.table(client, rows.history(w_id)).await?
            }
            Some(Part::Whole) => {
                self.table(client, rows.districts(w_id)).await?
                    + self
                        .table(client, std::iter::once(rows.warehouse(w_id)))
                        .await?
            }
        };
        let unit = Unit {
            rows: written,
            seconds: started.elapsed().as_secs_f64(),
        };
        let record = match part {
            None => unit.record_item(quoted, rows.seed()),
            Some(Part::Whole) => unit.record_whole(quoted, w_id, rows.seed()),
            Some(part) => unit.record_part(quoted, part, w_id),
        };
        Ok(client.batch_execute(&format!("{record}; COMMIT")).await?)
    }

    /// Copies rows into their table; gives their number.
    async fn table<R: Row>(
        &self,
        client: &Client,
        rows: impl Iterator<Item = R>,
    ) -> Result<u64, LoadError> {
        let started = Instant::now();
        let sql = format!(
            "COPY {}.{} FROM STDIN (FORMAT binary)",
            self.work.options.quoted,
            R::TABLE
        );
        let counters = &self.work.shared.counters;
        let mut sent = 0;
        let copied = async {
            let mut sink = pin!(client.copy_in(&sql).await?);
            for (chunk, count) in chunks(rows) {
                sink.send(chunk).await?;
                counters.add_rows(R::TABLE, count as i64);
                sent += count;
                if self.work.shared.is_stopped() {
                    // With the connection's end the transaction ends too.
                    return Err(LoadError::Interrupted);
                }
            }
            Ok(sink.finish().await?)
        }
        .await;
        if copied.is_err() {
            counters.add_rows(R::TABLE, -(sent as i64));
        }
        counters.add_time(R::TABLE, started.elapsed().as_micros() as u64);
        copied
    }

    async fn job(&self, client: &Client, job: usize) -> Result<(), LoadError> {
        let (sql, kind, table, cost) = {
            let board = self.work.shared.board();
            let wanted = &board.jobs[job];
            (
                wanted.sql.clone(),
                wanted.kind,
                wanted.table,
                board.cost(job),
            )
        };
        let started = Instant::now();
        // A foreign key is checked by a join, which may take that much for each of its two inputs.
        if kind == Kind::ForeignKey {
            client.batch_execute("SET hash_mem_multiplier = 1").await?;
        }
        client.simple_query(&sql).await?;
        self.work.shared.counters.add_cost(cost);
        self.work
            .shared
            .counters
            .add_time(table, started.elapsed().as_micros() as u64);
        Ok(())
    }

    /// Whether a task is done, by whomever.
    async fn is_there(&self, client: &Client, task: Task) -> Result<bool, Error> {
        let Options { schema, quoted, .. } = &self.work.options;
        let sql = match task {
            Task::Item => format!("SELECT FROM {quoted}.tpcc_load WHERE part = 'item'"),
            Task::Unit(part, w_id) => format!(
                "SELECT FROM {quoted}.tpcc_load WHERE part = 'warehouse' AND w_id = {w_id} UNION ALL \
                 SELECT FROM {quoted}.tpcc_load_part WHERE part = {} AND w_id = {w_id}",
                literal(part.name())
            ),
            Task::Job(job) => {
                let (kind, name) = {
                    let board = self.work.shared.board();
                    (board.jobs[job].kind, board.jobs[job].name.clone())
                };
                let sql = match kind {
                    Kind::Index => include_str!("../../../sql/client/valid_indexes.sql"),
                    Kind::Vacuum => return Ok(false),
                    _ => include_str!("../../../sql/client/constraints.sql"),
                };
                let sql = sql.replace("{name}", &literal(schema));
                return Ok(super::query::names(client, &sql).await?.contains(&name));
            }
        };
        Ok(!rows(client, &sql).await?.is_empty())
    }
}

/// Asks the server to cancel what every connection is doing.
pub(super) async fn cancel_all(connector: &Connector, shared: &Shared) {
    let tokens: Vec<CancelToken> = {
        let tokens = shared.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.iter().flatten().cloned().collect()
    };
    for token in tokens {
        // The server may be gone, and nothing is to be cancelled then.
        let _ = connector.cancel(&token).await;
    }
}
