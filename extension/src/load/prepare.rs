//! The first step of a load: what is there, does it fit, and what has to be made.

use std::sync::atomic::Ordering;

use workload::schema::script::{self, Kind, literal};
use workload::schema::{Loaded, Scale, costs};
use workload::tpcc::Table;

use super::shared::LoadShared;
use super::units::Missing;
use super::{Arguments, lock, state};
use crate::pg::error::{Result, ServerError, SqlState};
use crate::pg::spi::{self, Access, Spi};
use crate::pg::target;

/// An index is dropped and built again when the new rows are more than this part of the old ones:
/// an entry costs about three times as much to insert as to build.
const REBUILD_ABOVE: u64 = 3;

/// The seed of a schema for which none was asked.
const DEFAULT_SEED: i64 = 1;

/// Looks at the schema and makes it ready for rows, all in the caller's transaction.
///
/// # Errors
/// TC006 for tables that the load must not write into, 22023 for another seed, and what PostgreSQL
/// raises.
pub fn prepare(arguments: &Arguments, shared: &LoadShared) -> Result<()> {
    spi::connect(|spi| {
        Preparation {
            spi,
            arguments,
            shared,
        }
        .run()
    })
}

struct Preparation<'a> {
    spi: &'a Spi,
    arguments: &'a Arguments,
    shared: &'a LoadShared,
}

impl Preparation<'_> {
    fn run(&self) -> Result<()> {
        lock::wait_for_units(self.spi, &self.arguments.schema)?;
        self.create_schema()?;
        let existing = self.relations()?;
        let has = |name: &str| existing.iter().any(|found| found == name);
        self.refuse_citus()?;
        for table in Table::ALL.into_iter().filter(|table| has(table.name())) {
            target::check(&self.arguments.schema, table.name(), table.columns())?;
        }
        let quoted = &self.arguments.quoted;
        let scale = if has("tpcc_scale") {
            state::read_scale(self.spi, quoted)?
        } else {
            None
        };
        let loaded = if has("tpcc_load") && has("tpcc_load_part") {
            state::read_loaded(self.spi, quoted)?
        } else {
            Loaded::default()
        };
        let seed = self.seed(scale)?;
        self.shared.seed.store(seed as u64, Ordering::Relaxed);
        for table in Table::ALL {
            self.check_rows(table, has(table.name()), &loaded)?;
        }
        if !loaded.is_empty() {
            self.check_warehouses()?;
        }
        let unlogged = scale.map_or(self.arguments.unlogged, |scale| scale.unlogged);
        if unlogged != self.arguments.unlogged {
            self.shared.other_persistence.store(1, Ordering::Relaxed);
        }
        self.create_tables(&existing, unlogged)?;
        let foreign_keys =
            self.arguments.foreign_keys || scale.is_some_and(|scale| scale.foreign_keys);
        self.shared
            .foreign_keys
            .store(foreign_keys.into(), Ordering::Relaxed);
        let scale = Scale {
            seed,
            foreign_keys,
            unlogged,
        };
        let fillfactors = self.arguments.fillfactors.to_json();
        self.spi.run(&scale.write(quoted, &fillfactors))?;
        let missing = Missing::new(&loaded, self.arguments.warehouses)?;
        if !missing.is_empty() {
            self.make_room(&loaded, &missing)?;
        }
        self.publish(&loaded, &missing);
        Ok(())
    }

    fn create_schema(&self) -> Result<()> {
        // CREATE SCHEMA IF NOT EXISTS would ask for a right on the database even if it is there.
        let sql = format!(
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = {}",
            literal(&self.arguments.schema)
        );
        if self.spi.query(&sql, &[], Access::ReadWrite, |_| Ok(()))? == 0 {
            self.spi
                .run(&format!("CREATE SCHEMA {}", self.arguments.quoted))?;
            self.shared.created_schema.store(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The names of our tables' that are taken in the schema.
    fn relations(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        let sql = format!(
            "SELECT c.relname::text FROM pg_catalog.pg_class c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {}",
            literal(&self.arguments.schema)
        );
        self.spi.query(&sql, &[], Access::ReadWrite, |row| {
            names.push(row.text(0));
            Ok(())
        })?;
        let ours = |name: &String| {
            script::STATE_TABLES.contains(&name.as_str()) || script::table_named(name).is_some()
        };
        names.retain(ours);
        Ok(names)
    }

    /// Rows written past the executor would stay on the coordinator, in the empty shell of the table.
    fn refuse_citus(&self) -> Result<()> {
        const CITUS: &str = "SELECT 1 FROM pg_catalog.pg_class c \
            WHERE c.relname = 'pg_dist_partition' \
              AND c.relnamespace = 'pg_catalog'::pg_catalog.regnamespace";
        if self.spi.query(CITUS, &[], Access::ReadWrite, |_| Ok(()))? == 0 {
            return Ok(());
        }
        let mut names = Vec::new();
        let sql = format!(
            "SELECT c.relname::text FROM pg_catalog.pg_dist_partition p \
             JOIN pg_catalog.pg_class c ON c.oid = p.logicalrelid \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {}",
            literal(&self.arguments.schema)
        );
        self.spi.query(&sql, &[], Access::ReadWrite, |row| {
            names.push(row.text(0));
            Ok(())
        })?;
        match names
            .into_iter()
            .find(|name| script::table_named(name).is_some())
        {
            None => Ok(()),
            Some(name) => Err(ServerError::new(
                SqlState::FOREIGN_TABLE,
                format!("table {name} is distributed by Citus"),
            )
            .hint(format!(
                "Fill it through SQL, which Citus sees: INSERT INTO {}.{name} SELECT ... FROM \
                 tpcc_gen_{name}(...).",
                self.arguments.quoted
            ))),
        }
    }

    /// The seed to go on with: all rows of a schema have the same.
    fn seed(&self, scale: Option<Scale>) -> Result<i64> {
        match (scale, self.arguments.seed) {
            (Some(Scale { seed, .. }), Some(asked)) if seed != asked => Err(ServerError::new(
                SqlState::INVALID_VALUE,
                format!(
                    "schema {} was begun with seed {seed}, and seed {asked} was asked for",
                    self.arguments.quoted
                ),
            )
            .hint(format!(
                "Leave seed out to go on with {seed}, or begin anew: {}",
                self.drop_command()
            ))),
            (Some(Scale { seed, .. }), _) => Ok(seed),
            (None, asked) => Ok(asked.unwrap_or(DEFAULT_SEED)),
        }
    }

    fn drop_command(&self) -> String {
        format!(
            "SELECT tpcc_drop(schema => {});",
            literal(&self.arguments.schema)
        )
    }

    /// Rows in a table of which the state knows nothing are not ours.
    /// And rows of which the state tells must be there: new_order alone may have been emptied by deliveries.
    fn check_rows(&self, table: Table, exists: bool, loaded: &Loaded) -> Result<()> {
        let quoted = &self.arguments.quoted;
        let was_loaded = loaded.rows(table) > 0;
        let gone = |what: &str| {
            let message = format!("table {quoted}.{} was loaded, and {what}", table.name());
            ServerError::new(SqlState::FOREIGN_TABLE, message)
                .hint(format!("Begin anew: {}", self.drop_command()))
        };
        if !exists {
            return if was_loaded {
                Err(gone("is gone"))
            } else {
                Ok(())
            };
        }
        let sql = format!("SELECT 1 FROM {quoted}.{} LIMIT 1", table.name());
        let empty = self.spi.query(&sql, &[], Access::ReadWrite, |_| Ok(()))? == 0;
        if was_loaded && empty && table != Table::NewOrder {
            return Err(gone("is empty"));
        }
        if was_loaded || empty {
            return Ok(());
        }
        Err(ServerError::new(
            SqlState::FOREIGN_TABLE,
            format!("table {quoted}.{} has rows that tpcc_load did not write", table.name()),
        )
        .hint(format!(
            "Load into another schema (schema => 'name'), or empty the table first: TRUNCATE {quoted}.{};",
            table.name()
        )))
    }

    /// The warehouses in the table must be those in the state.
    fn check_warehouses(&self) -> Result<()> {
        let quoted = &self.arguments.quoted;
        let mut odd = None;
        let sql = format!(
            "SELECT coalesce(w.w_id, l.w_id), l.w_id IS NULL FROM {quoted}.warehouse w \
             FULL JOIN (SELECT w_id FROM {quoted}.tpcc_load WHERE part = 'warehouse') l USING (w_id) \
             WHERE w.w_id IS NULL OR l.w_id IS NULL ORDER BY 1 LIMIT 1"
        );
        self.spi.query(&sql, &[], Access::ReadWrite, |row| {
            odd = Some((row.int4(0), row.bool(1)));
            Ok(())
        })?;
        let message = match odd {
            None => return Ok(()),
            Some((w_id, true)) => {
                format!(
                    "table {quoted}.warehouse has warehouse {w_id}, which tpcc_load did not write"
                )
            }
            Some((w_id, false)) => {
                format!("warehouse {w_id} was loaded, and is gone from table {quoted}.warehouse")
            }
        };
        Err(ServerError::new(SqlState::FOREIGN_TABLE, message)
            .hint(format!("Begin anew: {}", self.drop_command())))
    }

    fn create_tables(&self, existing: &[String], unlogged: bool) -> Result<()> {
        let Arguments {
            quoted,
            fillfactors,
            ..
        } = self.arguments;
        let creations = script::tables(quoted, unlogged, fillfactors);
        for creation in creations
            .iter()
            .filter(|creation| !existing.contains(&creation.name))
        {
            self.spi.run(&creation.sql)?;
            self.shared.created_tables.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Takes out of the way what would make the rows slow to write, or would be broken meanwhile.
    fn make_room(&self, loaded: &Loaded, missing: &Missing) -> Result<()> {
        let quoted = &self.arguments.quoted;
        let constraints = constraints(self.spi, &self.arguments.schema)?;
        let jobs = script::jobs(quoted);
        // Rows written past the executor fire no check, so the keys are checked again afterwards.
        let foreign = jobs.iter().filter(|job| job.kind == Kind::ForeignKey);
        for job in foreign.filter(|job| constraints.contains(&job.name)) {
            let table = job.table.name();
            self.spi.run(&format!(
                "ALTER TABLE {quoted}.{table} DROP CONSTRAINT {}",
                job.name
            ))?;
        }
        let added: u64 = Table::ALL.iter().map(|table| missing.rows(*table)).sum();
        if added * REBUILD_ABOVE < loaded.all_rows() {
            return Ok(());
        }
        let indexes = indexes(self.spi, &self.arguments.schema)?;
        for job in jobs
            .iter()
            .filter(|job| job.kind == Kind::Index && indexes.contains(&job.name))
        {
            if constraints.contains(&job.name) {
                let table = job.table.name();
                self.spi.run(&format!(
                    "ALTER TABLE {quoted}.{table} DROP CONSTRAINT {}",
                    job.name
                ))?;
            } else {
                self.spi.run(&format!("DROP INDEX {quoted}.{}", job.name))?;
            }
            self.shared.dropped_indexes.store(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn publish(&self, loaded: &Loaded, missing: &Missing) {
        let shared = self.shared;
        let store = |to: &std::sync::atomic::AtomicU32, value: usize| {
            to.store(value as u32, Ordering::Relaxed);
        };
        store(&shared.found_warehouses, loaded.warehouses().len());
        store(
            &shared.found_highest,
            loaded.warehouses().next_back().unwrap_or(0) as usize,
        );
        store(&shared.found_parts, missing.begun());
        store(&shared.found_item, loaded.has_item().into());
        store(&shared.missing_warehouses, missing.warehouses().len());
        store(
            &shared.missing_lowest,
            missing.warehouses().next().unwrap_or(0) as usize,
        );
        missing.publish(shared);
        // A first guess at what comes after the rows; `finish::plan` knows better.
        if !missing.is_empty() {
            let rows = |table: Table| loaded.rows(table) + missing.rows(table);
            let jobs = script::jobs(&self.arguments.quoted);
            let cost = jobs
                .iter()
                .filter(|job| {
                    job.kind != Kind::ForeignKey || shared.foreign_keys.load(Ordering::Relaxed) == 1
                })
                .map(|job| costs::job_ns(job, rows(job.table)))
                .sum();
            shared.cost_expected.fetch_add(cost, Ordering::Relaxed);
        }
    }
}

/// The constraints of a schema.
///
/// # Errors
/// What PostgreSQL raises.
pub fn constraints(spi: &Spi, schema: &str) -> Result<Vec<String>> {
    names(
        spi,
        &format!(
            "SELECT c.conname::text FROM pg_catalog.pg_constraint c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace WHERE n.nspname = {}",
            literal(schema)
        ),
    )
}

/// The indexes of a schema.
///
/// # Errors
/// What PostgreSQL raises.
pub fn indexes(spi: &Spi, schema: &str) -> Result<Vec<String>> {
    names(
        spi,
        &format!(
            "SELECT c.relname::text FROM pg_catalog.pg_class c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE c.relkind = 'i' AND n.nspname = {}",
            literal(schema)
        ),
    )
}

fn names(spi: &Spi, sql: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    spi.query(sql, &[], Access::ReadWrite, |row| {
        names.push(row.text(0));
        Ok(())
    })?;
    Ok(names)
}
