//! The first step of a load: what is there, does it fit, and what has to be made.

use tokio_postgres::Client;
use workload::counted;
use workload::schema::script::{self, Job, Kind, STATE_TABLES, literal, table_named};
use workload::schema::{Loaded, Scale, lock};
use workload::tpcc::Table;

use super::Options;
use super::board::{Board, Missing};
use super::query::{names, number, rows, text};
use crate::connect::BEGIN_SAFELY;
use crate::crew::LoadError;

/// An index is dropped and built again when the new rows are more than this part of the old ones: an
/// entry costs about three times as much to insert as to build.
const REBUILD_ABOVE: u64 = 3;
/// The seed of a schema for which none was asked.
const DEFAULT_SEED: i64 = 1;

/// A schema that is ready for rows.
pub(super) struct Prepared {
    pub(super) board: Board,
    pub(super) seed: i64,
    pub(super) unlogged: bool,
    /// Rows to write, order lines as an average.
    pub(super) rows: [u64; 9],
    /// What was there before.
    pub(super) loaded: Loaded,
    /// What to tell.
    pub(super) found: Vec<String>,
}

/// Looks at the schema and makes it ready for rows, in one transaction.
///
/// # Errors
/// [`LoadError::Refused`] for what must not be written into, and what the server says.
pub(super) async fn prepare(client: &Client, options: &Options) -> Result<Prepared, LoadError> {
    client.batch_execute(BEGIN_SAFELY).await?;
    let prepared = Preparation { client, options }.run().await?;
    client.batch_execute("COMMIT").await?;
    Ok(prepared)
}

struct Preparation<'a> {
    client: &'a Client,
    options: &'a Options,
}

impl Preparation<'_> {
    async fn run(&self) -> Result<Prepared, LoadError> {
        let Options { schema, quoted, .. } = self.options;
        let units = lock::key(lock::UNITS, schema);
        let wait = format!("SELECT pg_catalog.pg_advisory_xact_lock({units})");
        self.client.batch_execute(&wait).await?;
        self.create_schema().await?;
        let existing = self.tables().await?;
        let has = |name: &str| existing.iter().any(|found| found == name);
        let mut scale = None;
        if has("tpcc_scale") {
            scale = self.scale().await?;
        }
        let mut loaded = Loaded::default();
        if has("tpcc_load") && has("tpcc_load_part") {
            for row in rows(self.client, &Loaded::query(quoted)).await? {
                loaded.add(
                    text(&row, 0),
                    number(&row, 1) as i32,
                    number(&row, 2) as u64,
                );
            }
        }
        let seed = self.seed(scale)?;
        for table in Table::ALL {
            self.check_rows(table, has(table.name()), &loaded).await?;
        }
        if !loaded.is_empty() {
            self.check_warehouses().await?;
        }
        let unlogged = scale.map_or(self.options.unlogged, |scale| scale.unlogged);
        let fillfactors = &self.options.fillfactors;
        for creation in script::tables(quoted, unlogged, fillfactors) {
            if !has(&creation.name) {
                self.client.batch_execute(&creation.sql).await?;
            }
        }
        let foreign_keys =
            self.options.foreign_keys || scale.is_some_and(|scale| scale.foreign_keys);
        let new_scale = Scale {
            seed,
            foreign_keys,
            unlogged,
        };
        let sql = new_scale.write(quoted, &fillfactors.to_json());
        self.client.batch_execute(&sql).await?;

        let missing = Missing::new(&loaded, self.options.warehouses);
        let mut found = vec![self.found(&loaded, &missing)];
        if !missing.is_empty() && self.make_room(&loaded, &missing).await? {
            found.push("indexes are dropped, to be built anew when the rows are there".to_owned());
        }
        if unlogged != self.options.unlogged {
            let kind = if unlogged { "unlogged" } else { "logged" };
            found.push(format!("the tables are {kind}, as they were created"));
        }
        let jobs = script::jobs(quoted);
        let needed = self.needed(&jobs, &missing, foreign_keys).await?;
        Ok(Prepared {
            seed,
            unlogged,
            rows: Table::ALL.map(|table| missing.rows(table)),
            board: Board::new(missing, &loaded, jobs, &needed),
            loaded,
            found,
        })
    }

    async fn create_schema(&self) -> Result<(), LoadError> {
        // CREATE SCHEMA IF NOT EXISTS would ask for a right on the database even if it is there.
        if !crate::schema::schema_exists(self.client, &self.options.schema).await? {
            let sql = format!("CREATE SCHEMA {}", self.options.quoted);
            self.client.batch_execute(&sql).await?;
        }
        Ok(())
    }

    /// The names of our tables' that are taken in the schema; each must be such a table.
    async fn tables(&self) -> Result<Vec<String>, LoadError> {
        let sql = include_str!("../../../sql/client/shape.sql");
        let sql = sql.replace("{name}", &literal(&self.options.schema));
        let mut tables = Vec::new();
        for row in rows(self.client, &sql).await? {
            let name = text(&row, 0);
            if let Some(table) = table_named(name) {
                let odd = [text(&row, 1), text(&row, 2)]
                    .into_iter()
                    .find(|odd| !odd.is_empty());
                let odd = odd.map(str::to_owned);
                if let Some(found) = odd.or_else(|| other_columns(table, text(&row, 3))) {
                    return Err(LoadError::Refused {
                        found: format!("table {name} {found}"),
                        hint: "tpcc load writes only into plain tables as it creates them: load into another \
                               schema (--schema NAME)."
                            .to_owned(),
                    });
                }
            } else if !STATE_TABLES.contains(&name) {
                continue;
            }
            tables.push(name.to_owned());
        }
        Ok(tables)
    }

    async fn scale(&self) -> Result<Option<Scale>, LoadError> {
        let rows = rows(self.client, &Scale::query(&self.options.quoted)).await?;
        Ok(rows.first().map(|row| Scale {
            seed: number(row, 0),
            foreign_keys: text(row, 1) == "t",
            unlogged: text(row, 2) == "t",
        }))
    }

    /// The seed to go on with: all rows of a schema have the same.
    fn seed(&self, scale: Option<Scale>) -> Result<i64, LoadError> {
        match (scale, self.options.seed) {
            (Some(Scale { seed, .. }), Some(asked)) if seed != asked => Err(LoadError::Refused {
                found: format!(
                    "schema {} was begun with seed {seed}, and seed {asked} was asked for",
                    self.options.quoted
                ),
                hint: format!(
                    "Leave --seed out to go on with {seed}, or begin anew: {}",
                    self.options.drop_command()
                ),
            }),
            (Some(Scale { seed, .. }), _) => Ok(seed),
            (None, asked) => Ok(asked.unwrap_or(DEFAULT_SEED)),
        }
    }

    /// Rows in a table of which the state knows nothing are not ours.
    /// And rows of which the state tells must be there: new_order alone may have been emptied by deliveries.
    async fn check_rows(
        &self,
        table: Table,
        exists: bool,
        loaded: &Loaded,
    ) -> Result<(), LoadError> {
        let quoted = &self.options.quoted;
        let was_loaded = loaded.rows(table) > 0;
        let gone = |what: &str| LoadError::Refused {
            found: format!("table {quoted}.{table} was loaded, and {what}"),
            hint: format!("Begin anew: {}", self.options.drop_command()),
        };
        if !exists {
            return if was_loaded {
                Err(gone("is gone"))
            } else {
                Ok(())
            };
        }
        let sql = format!("SELECT FROM {quoted}.{table} LIMIT 1");
        let empty = rows(self.client, &sql).await?.is_empty();
        if was_loaded && empty && table != Table::NewOrder {
            return Err(gone("is empty"));
        }
        if was_loaded || empty {
            return Ok(());
        }
        Err(LoadError::Refused {
            found: format!("table {quoted}.{table} has rows that tpcc load did not write"),
            hint: format!(
                "Load into another schema (--schema NAME), or empty the table first: TRUNCATE {quoted}.{table};"
            ),
        })
    }

    /// The warehouses in the table must be those in the state.
    async fn check_warehouses(&self) -> Result<(), LoadError> {
        let quoted = &self.options.quoted;
        let sql = include_str!("../../../sql/client/odd_warehouses.sql");
        let odd = rows(self.client, &sql.replace("{schema}", quoted)).await?;
        let Some(row) = odd.first() else {
            return Ok(());
        };
        let w_id = number(row, 0);
        let found = if text(row, 1) == "t" {
            format!("table {quoted}.warehouse has warehouse {w_id}, which tpcc load did not write")
        } else {
            format!("warehouse {w_id} was loaded, and is gone from table {quoted}.warehouse")
        };
        Err(LoadError::Refused {
            found,
            hint: format!("Begin anew: {}", self.options.drop_command()),
        })
    }

    /// Takes out of the way what would make the rows slow to write. True where indexes were dropped.
    async fn make_room(&self, loaded: &Loaded, missing: &Missing) -> Result<bool, LoadError> {
        let quoted = &self.options.quoted;
        let constraints = self.constraints().await?;
        let jobs = script::jobs(quoted);
        let drop_constraint = |job: &Job| {
            format!(
                "ALTER TABLE {quoted}.{} DROP CONSTRAINT {}",
                job.table, job.name
            )
        };
        let foreign = jobs.iter().filter(|job| job.kind == Kind::ForeignKey);
        for job in foreign.filter(|job| constraints.contains(&job.name)) {
            self.client.batch_execute(&drop_constraint(job)).await?;
        }
        if missing.all_rows() * REBUILD_ABOVE < loaded.all_rows() {
            return Ok(false);
        }
        let indexes = self.indexes().await?;
        let mut dropped = false;
        let built = jobs.iter().filter(|job| job.kind == Kind::Index);
        for job in built.filter(|job| indexes.contains(&job.name)) {
            let sql = if constraints.contains(&job.name) {
                drop_constraint(job)
            } else {
                format!("DROP INDEX {quoted}.{}", job.name)
            };
            self.client.batch_execute(&sql).await?;
            dropped = true;
        }
        Ok(dropped)
    }

    /// Which jobs are to be done.
    async fn needed(
        &self,
        jobs: &[Job],
        missing: &Missing,
        foreign_keys: bool,
    ) -> Result<Vec<bool>, LoadError> {
        let indexes = self.indexes().await?;
        let constraints = self.constraints().await?;
        let sql = include_str!("../../../sql/client/unvacuumed.sql");
        let sql = sql.replace("{name}", &literal(&self.options.schema));
        let unvacuumed = names(self.client, &sql).await?;
        let needed = |job: &Job| match job.kind {
            Kind::Index => !indexes.contains(&job.name),
            Kind::Constraint => !constraints.contains(&job.name),
            Kind::ForeignKey => foreign_keys && !constraints.contains(&job.name),
            Kind::Vacuum => {
                missing.rows(job.table) > 0 || unvacuumed.iter().any(|t| t == job.table.name())
            }
        };
        Ok(jobs.iter().map(needed).collect())
    }

    async fn indexes(&self) -> Result<Vec<String>, LoadError> {
        let sql = include_str!("../../../sql/client/valid_indexes.sql");
        let sql = sql.replace("{name}", &literal(&self.options.schema));
        Ok(names(self.client, &sql).await?)
    }

    async fn constraints(&self) -> Result<Vec<String>, LoadError> {
        let sql = include_str!("../../../sql/client/constraints.sql");
        let sql = sql.replace("{name}", &literal(&self.options.schema));
        Ok(names(self.client, &sql).await?)
    }

    fn found(&self, loaded: &Loaded, missing: &Missing) -> String {
        let Options { schema, .. } = self.options;
        let warehouses = &self.options.warehouses.max(loaded.highest_begun());
        let highest = loaded.warehouses().next_back().unwrap_or(0);
        if missing.is_empty() {
            let more = if highest > *warehouses {
                let all = loaded.warehouses().len();
                format!(" (schema \"{schema}\" has {all} in all, and none is taken away)")
            } else {
                String::new()
            };
            return format!(
                "found all of {} loaded{more}",
                counted(warehouses, "warehouse")
            );
        }
        if loaded.is_empty() {
            return format!(
                "loading {} into schema \"{schema}\"",
                counted(warehouses, "warehouse")
            );
        }
        let parts = match missing.begun() {
            0 => String::new(),
            1 => " and parts of another".to_owned(),
            more => format!(" and parts of {more} others"),
        };
        format!(
            "found {} of {} loaded{parts}, going on with {}",
            *warehouses as usize - missing.warehouses(),
            counted(warehouses, "warehouse"),
            missing.lowest()
        )
    }
}

/// How the columns differ from ours: lines of a name and a type.
fn other_columns(table: Table, found: &str) -> Option<String> {
    let columns = table.columns();
    let lines: Vec<_> = found.lines().collect();
    if lines.len() != columns.len() {
        return Some(format!(
            "has {} columns instead of {}",
            lines.len(),
            columns.len()
        ));
    }
    lines.into_iter().zip(columns).find_map(|(line, column)| {
        let (name, kind) = line.split_once(' ').unwrap_or((line, ""));
        let kind = kind
            .replace("character varying", "varchar")
            .replace("character", "char")
            .replace("timestamp with time zone", "timestamptz");
        if name != column.name {
            return Some(format!(
                "has the column {name} where {} is expected",
                column.name
            ));
        }
        (kind != column.kind.to_string())
            .then(|| format!("has {name} as {kind} instead of {}", column.kind))
    })
}
