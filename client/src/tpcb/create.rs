//! pgbench's tables, as statements that make them with branches and tellers in them.

use workload::tpcb::{ACCOUNTS_PER_BRANCH, FIRST_BIG_SCALE, TELLERS_PER_BRANCH};

use super::Options;

/// How pgbench_accounts is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partitions {
    /// By ranges of aid.
    Range(u32),
    /// By a hash of aid.
    Hash(u32),
}

/// The statements that make the tables, with branches and tellers in them.
pub(super) fn statements(options: &Options) -> String {
    let Options {
        quoted,
        scale,
        fillfactor,
        ..
    } = options;
    let unlogged = if options.unlogged { "UNLOGGED" } else { "" };
    let with = format!("WITH (fillfactor = {fillfactor})");
    let storage = match options.partitions {
        None => with.clone(),
        Some(Partitions::Range(_)) => "PARTITION BY RANGE (aid)".to_owned(),
        Some(Partitions::Hash(_)) => "PARTITION BY HASH (aid)".to_owned(),
    };
    let aid = if is_big(*scale) { "int8" } else { "int4" };
    let mut sql = format!("CREATE SCHEMA IF NOT EXISTS {quoted};\n");
    if quoted == "public" {
        sql.clear();
    }
    sql += &include_str!("../../../sql/tpcb/tables.sql")
        .replace(
            "{unlogged}",
            if options.partitions.is_some() {
                ""
            } else {
                unlogged
            },
        )
        .replace("{unlogged_state}", unlogged)
        .replace("{aid}", aid)
        .replace("{fillfactor}", &fillfactor.to_string())
        .replace("{storage}", &storage)
        .replace("{schema}", quoted);
    let accounts = i64::from(*scale) * ACCOUNTS_PER_BRANCH;
    let (count, range) = match options.partitions {
        None => (0, false),
        Some(Partitions::Range(count)) => (count, true),
        Some(Partitions::Hash(count)) => (count, false),
    };
    let size = (accounts + i64::from(count) - 1) / i64::from(count.max(1));
    for part in 1..=count {
        let first = match part {
            1 => "MINVALUE".to_owned(),
            _ => (i64::from(part - 1) * size + 1).to_string(),
        };
        let next = match part == count {
            true => "MAXVALUE".to_owned(),
            false => (i64::from(part) * size + 1).to_string(),
        };
        let of = match range {
            true => format!("FROM ({first}) TO ({next})"),
            false => format!("WITH (MODULUS {count}, REMAINDER {})", part - 1),
        };
        sql += &format!(
            "CREATE {unlogged} TABLE {quoted}.pgbench_accounts_{part} \
             PARTITION OF {quoted}.pgbench_accounts FOR VALUES {of} {with};\n"
        );
    }
    sql + &format!(
        "INSERT INTO {quoted}.pgbench_branches (bid, bbalance) \
         SELECT n, 0 FROM pg_catalog.generate_series(1, {scale}) AS n;\n\
         INSERT INTO {quoted}.pgbench_tellers (tid, bid, tbalance) \
         SELECT n, (n - 1) / {TELLERS_PER_BRANCH} + 1, 0 \
         FROM pg_catalog.generate_series(1, {scale} * {TELLERS_PER_BRANCH}) AS n;\n\
         INSERT INTO {quoted}.tpcb_load (bid, scale) VALUES (0, {scale});"
    )
}

/// Whether the numbers of accounts do not fit int4.
pub(super) fn is_big(scale: i32) -> bool {
    scale >= FIRST_BIG_SCALE
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::crew::Terms;

    fn options(partitions: Option<Partitions>) -> Options {
        Options {
            scale: 1,
            quoted: "s".to_owned(),
            fillfactor: 90,
            unlogged: true,
            foreign_keys: false,
            partitions,
            extension: None,
            max_write: None,
            terms: Terms {
                schema: "s".to_owned(),
                connections: 1,
                reconnect_timeout: Duration::ZERO,
                report_every: Duration::from_secs(60),
            },
        }
    }

    #[test]
    fn partitions_cover_every_account() {
        let sql = statements(&options(Some(Partitions::Range(3))));
        assert!(sql.contains("FROM (MINVALUE) TO (33335)"), "{sql}");
        assert!(sql.contains("FROM (33335) TO (66669)"), "{sql}");
        assert!(sql.contains("FROM (66669) TO (MAXVALUE)"), "{sql}");
        let sql = statements(&options(Some(Partitions::Hash(2))));
        assert!(sql.contains("MODULUS 2, REMAINDER 1"), "{sql}");
        assert!(!statements(&options(None)).contains('{'));
    }
}
