//! `tpcc load`, `tpcc check` and `tpcc drop` over connections: no extension, an ordinary role.

use std::process::{Child, Command, Output, Stdio};

use tests::{Cluster, Connection, Database, Shutdown, discard, signal, sql};

/// A database whose owner is an ordinary role, which makes its schemas itself.
struct Own<'a> {
    database: Database<'a>,
    role: String,
}

impl<'a> Own<'a> {
    async fn new(cluster: &'a Cluster) -> Own<'a> {
        let database = cluster.fresh_empty_database().await;
        let role = cluster.fresh_role().await;
        let sql = format!("ALTER DATABASE {} OWNER TO {role}", database.name());
        let witness = cluster.witness().await;
        sql::run(&witness, &sql).await;
        Own { database, role }
    }

    fn tpcc(&self, args: &[&str]) -> Command {
        let mut command = self
            .database
            .cluster()
            .tpcc(self.database.name(), &self.role);
        command.args(args);
        command
    }

    fn start(&self, args: &[&str]) -> Child {
        let mut command = self.tpcc(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("tpcc starts")
    }

    /// Runs a verb; gives its exit status, and what it said on both channels.
    fn run(&self, args: &[&str]) -> (Option<i32>, String) {
        said(self.tpcc(args).output().expect("tpcc starts"))
    }

    fn succeeds(&self, args: &[&str]) -> String {
        let (status, said) = self.run(args);
        assert_eq!(status, Some(0), "{args:?}: {said}");
        said
    }

    fn fails(&self, args: &[&str], status: i32, words: &[&str]) {
        let (found, said) = self.run(args);
        assert_eq!(found, Some(status), "{args:?}: {said}");
        for word in words {
            assert!(
                said.contains(word),
                "{args:?} does not say \"{word}\": {said}"
            );
        }
        assert!(!said.contains("panicked"), "{said}");
    }

    async fn connect(&self) -> Connection {
        self.database.connect().await
    }
}

fn said(output: Output) -> (Option<i32>, String) {
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

async fn end_of(child: Child) -> (Option<i32>, String) {
    let wait = move || said(child.wait_with_output().expect("tpcc ends"));
    tokio::task::spawn_blocking(wait).await.expect("no panic")
}

const LOAD: [&str; 6] = ["load", "--warehouses", "2", "-c", "2", "--flavour=plpgsql"];

/// Every row of every table, in an order of its own.
async fn digests(client: &Connection, schema: &str) -> Vec<Vec<String>> {
    let tables = [
        "item",
        "warehouse",
        "district",
        "customer",
        "history",
        "orders",
        "new_order",
        "order_line",
        "stock",
    ];
    let queries = tables.map(|table| {
        format!(
            "SELECT '{table}', count(*), md5(string_agg(md5(r::text), '' ORDER BY md5(r::text))) FROM {schema}.{table} r"
        )
    });
    sql::table(client, &queries.join(" UNION ALL ")).await
}

/// Asserts that a schema is as the extension's load leaves it.
async fn is_whole(client: &Connection, schema: &str, warehouses: i64) {
    let state = format!(
        "SELECT (SELECT count(*) FROM {schema}.tpcc_load), (SELECT count(*) FROM {schema}.tpcc_load_part)"
    );
    let expected = [(warehouses + 1).to_string(), "0".to_owned()];
    assert_eq!(sql::table(client, &state).await, [expected]);
    let keys = format!(
        "SELECT count(*) FROM pg_constraint WHERE connamespace = '{schema}'::regnamespace AND contype = 'p' AND conname NOT LIKE 'tpcc%'"
    );
    assert_eq!(sql::value(client, &keys).await, "8");
    let indexes = format!(
        "SELECT count(*), bool_and(indisvalid) FROM pg_index i JOIN pg_class c ON c.oid = indexrelid \
         WHERE relnamespace = '{schema}'::regnamespace AND relname IN ('customer_name_idx', 'orders_customer_idx')"
    );
    assert_eq!(sql::table(client, &indexes).await, [["2", "t"]]);
}

/// Waits until at least one part is recorded, and lets no further one be until the session ends.
async fn hold(own: &Own<'_>) -> Connection {
    let holder = own.connect().await;
    sql::until(
        &holder,
        "SELECT to_regclass('tpcc.tpcc_load_part') IS NOT NULL",
    )
    .await;
    let recorded = "SELECT (SELECT count(*) FROM tpcc.tpcc_load) + (SELECT count(*) FROM tpcc.tpcc_load_part) > 0";
    sql::until(&holder, recorded).await;
    let lock = "BEGIN; LOCK TABLE tpcc.tpcc_load_part, tpcc.tpcc_load IN SHARE MODE";
    sql::run(&holder, lock).await;
    holder
}

#[tokio::test]
async fn the_rows_are_those_of_the_extension_and_ready_for_a_run() {
    // A snapshot taken while another database writes is as old as that, and what is vacuumed then is not
    // visible to all.
    let cluster = Cluster::private();
    let database = cluster.fresh_database().await;
    let client = database.connect().await;
    let load = |args: &[&str]| {
        let mut command = database.cluster().tpcc(database.name(), "postgres");
        let (status, said) = said(command.args(args).output().unwrap());
        assert_eq!(status, Some(0), "{args:?}: {said}");
        said
    };
    let native = load(&[
        "load",
        "--warehouses",
        "2",
        "-c",
        "2",
        "--schema",
        "native",
        "--seed",
        "7",
    ]);
    assert!(
        native.contains("stock") && native.contains("200,000"),
        "{native}"
    );
    let ours = load(&[&LOAD[..], &["--schema", "ours", "--seed", "7"]].concat());
    assert!(ours.contains("stock") && ours.contains("200,000"), "{ours}");
    assert_eq!(
        digests(&client, "ours").await,
        digests(&client, "native").await
    );
    is_whole(&client, "ours", 2).await;
    let state = |schema: &str| {
        format!(
            "SELECT seed, c_last_load, foreign_keys, unlogged, fillfactors FROM {schema}.tpcc_scale"
        )
    };
    assert_eq!(
        sql::table(&client, &state("ours")).await,
        sql::table(&client, &state("native")).await
    );
    let seen = "SELECT c.relname, c.relallvisible >= 0.95 * c.relpages, s.last_analyze IS NOT NULL FROM pg_class c \
                JOIN pg_stat_user_tables s ON s.relid = c.oid \
                WHERE c.relnamespace = 'ours'::regnamespace AND c.relname NOT LIKE 'tpcc%'";
    for row in sql::table(&client, seen).await {
        assert_eq!(
            row[1..],
            ["t", "t"],
            "{} is neither analysed nor all-visible",
            row[0]
        );
    }
    let functions = "SELECT count(*) FROM pg_proc WHERE pronamespace = 'ours'::regnamespace AND proname IN \
                     ('tpcc_new_order', 'tpcc_payment', 'tpcc_order_status', 'tpcc_delivery', 'tpcc_stock_level')";
    assert_eq!(sql::value(&client, functions).await, "5");
    // The extension finds nothing to add to what the client loaded, and the other way round.
    let said = load(&["load", "--warehouses", "2", "--schema", "ours"]);
    assert!(said.contains("nothing to do"), "{said}");
    let said = load(&[
        "load",
        "--warehouses",
        "2",
        "--schema",
        "native",
        "--flavour",
        "plpgsql",
    ]);
    assert!(said.contains("nothing to do"), "{said}");
    assert_eq!(
        sql::value(
            &client,
            "SELECT count(*) FROM tpcc_check('ours') WHERE holds"
        )
        .await,
        "12"
    );
    discard(database).await;
}

#[tokio::test]
async fn an_ordinary_role_loads_grows_checks_and_drops() {
    // For itself, so that nobody's transactions hold a vacuum back.
    let cluster = Cluster::private();
    let own = Own::new(&cluster).await;
    let client = own.connect().await;
    // The extension is there, and this role may not create it.
    let said = own.succeeds(&[
        "load",
        "--warehouses",
        "1",
        "-c",
        "2",
        "--foreign-keys",
        "--fillfactor",
        "stock=77",
    ]);
    assert!(said.contains("may not create the extension"), "{said}");
    is_whole(&client, "tpcc", 1).await;
    let keys = "SELECT count(*), bool_and(convalidated) FROM pg_constraint WHERE connamespace = 'tpcc'::regnamespace AND contype = 'f'";
    assert_eq!(sql::table(&client, keys).await, [["10", "t"]]);
    let stored =
        "SELECT array_to_string(reloptions, ' ') FROM pg_class WHERE oid = 'tpcc.stock'::regclass";
    assert_eq!(sql::value(&client, stored).await, "fillfactor=77");
    let said = own.succeeds(&["check"]);
    assert!(said.contains("12 of 12 conditions hold"), "{said}");

    // What happened to the first warehouse stays when others come.
    sql::run(
        &client,
        "UPDATE tpcc.stock SET s_quantity = 99 WHERE s_w_id = 1 AND s_i_id = 1",
    )
    .await;
    let said = own.succeeds(&LOAD);
    assert!(
        said.contains("found 1 of 2 warehouses loaded, going on with 2"),
        "{said}"
    );
    is_whole(&client, "tpcc", 2).await;
    assert_eq!(sql::table(&client, keys).await, [["10", "t"]]);
    let kept = "SELECT s_quantity FROM tpcc.stock WHERE s_w_id = 1 AND s_i_id = 1";
    assert_eq!(sql::value(&client, kept).await, "99");

    // Fewer than there are: nothing is taken away.
    let said = own.succeeds(&["load", "--warehouses", "1"]);
    assert!(
        said.contains("has 2 in all, and none is taken away") && said.contains("nothing to do"),
        "{said}"
    );
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc.warehouse").await,
        "2"
    );
    own.fails(
        &["load", "--warehouses", "3", "--seed", "5"],
        1,
        &["begun with seed 1", "tpcc drop"],
    );

    sql::run(
        &client,
        "UPDATE tpcc.warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2",
    )
    .await;
    own.fails(&["check"], 1, &["BROKEN", "conditions do not hold"]);

    sql::run(
        &client,
        "INSERT INTO tpcc.tpcc_results (started_at, ended_at, result) VALUES (now(), now(), '{}')",
    )
    .await;
    own.fails(&["drop"], 2, &["--yes"]);
    let said = own.succeeds(&["drop", "--yes"]);
    assert!(said.contains("the results of its runs stay"), "{said}");
    assert_eq!(
        sql::value(&client, "SELECT count(*) FROM tpcc.tpcc_results").await,
        "1"
    );
    own.succeeds(&["drop", "--yes", "--results"]);
    assert_eq!(
        sql::value(&client, "SELECT to_regnamespace('tpcc') IS NULL").await,
        "t"
    );
    own.fails(
        &["drop", "--yes"],
        1,
        &["does not exist", "Nothing was dropped"],
    );
    own.fails(
        &["check"],
        1,
        &["does not exist", "tpcc load --warehouses 1"],
    );
    discard(own.database).await;
}

#[tokio::test]
async fn several_sets_are_loaded_checked_and_dropped() {
    let own = Own::new(Cluster::shared()).await;
    let client = own.connect().await;
    own.succeeds(&[
        "load",
        "--warehouses",
        "1",
        "--tables",
        "2",
        "--flavour",
        "plpgsql",
    ]);
    is_whole(&client, "tpcc1", 1).await;
    is_whole(&client, "tpcc2", 1).await;
    let said = own.succeeds(&["check", "--tables", "2"]);
    assert_eq!(said.matches("12 of 12").count(), 2, "{said}");
    sql::run(&client, "UPDATE tpcc2.warehouse SET w_ytd = 0").await;
    own.fails(&["check", "--tables", "2"], 1, &["BROKEN"]);
    // All or none.
    own.fails(
        &["drop", "--yes", "--tables", "3"],
        1,
        &["tpcc3", "Nothing was dropped"],
    );
    is_whole(&client, "tpcc1", 1).await;
    own.succeeds(&["drop", "--yes", "--tables", "2"]);
    let left = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tpcc%'";
    assert_eq!(sql::value(&client, left).await, "0");
    discard(own.database).await;
}

#[tokio::test]
async fn a_killed_load_goes_on_and_a_second_one_is_kept_out() {
    let own = Own::new(Cluster::shared()).await;
    let mut child = own.start(&LOAD);
    let holder = hold(&own).await;
    own.fails(
        &LOAD,
        1,
        &["another load, drop or run", "pg_cancel_backend"],
    );
    own.fails(&["drop", "--yes"], 1, &["another load, drop or run"]);
    own.fails(&["check"], 1, &["tpcc load --warehouses"]);
    child.kill().unwrap();
    child.wait().unwrap();
    let alone = "SELECT NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
    drop(holder);
    let client = own.connect().await;
    sql::until(&client, alone).await;
    let said = own.succeeds(&LOAD);
    assert!(said.contains("found 0 of 2 warehouses loaded"), "{said}");
    is_whole(&client, "tpcc", 2).await;
    assert!(own.succeeds(&["check"]).contains("12 of 12"));
    discard(own.database).await;
}

#[tokio::test]
async fn a_terminated_connection_is_made_again() {
    let own = Own::new(Cluster::shared()).await;
    let child = own.start(&LOAD);
    let holder = hold(&own).await;
    let client = own.connect().await;
    let waiting = "SELECT count(*) = 2 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tpcc load' AND wait_event_type = 'Lock'";
    sql::until(&client, waiting).await;
    // Two that write, and the one that holds the schema's lock.
    sql::run(&client, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'tpcc load'").await;
    sql::run(&client, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND mode = 'ExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").await;
    drop(holder);
    let (status, said) = end_of(child).await;
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("a connection was lost"), "{said}");
    is_whole(&client, "tpcc", 2).await;
    assert!(own.succeeds(&["check"]).contains("12 of 12"));
    discard(own.database).await;
}

#[tokio::test]
async fn a_restart_of_the_server_is_survived_and_a_lasting_absence_is_not() {
    let cluster = Cluster::private();
    let own = Own::new(&cluster).await;
    let child = own.start(&LOAD);
    drop(hold(&own).await);
    cluster.restart(Shutdown::Immediate);
    let (status, said) = end_of(child).await;
    assert_eq!(status, Some(0), "{said}");
    let client = own.connect().await;
    is_whole(&client, "tpcc", 2).await;
    own.succeeds(&["drop", "--yes"]);

    // While an index is built.
    let child = own.start(&LOAD);
    let client = own.connect().await;
    let building = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE 'CREATE%INDEX%' AND application_name = 'tpcc load' AND state = 'active')";
    sql::until(&client, building).await;
    cluster.restart(Shutdown::Fast);
    let (status, said) = end_of(child).await;
    assert_eq!(status, Some(0), "{said}");
    let client = own.connect().await;
    is_whole(&client, "tpcc", 2).await;
    own.succeeds(&["drop", "--yes"]);

    let child = own.start(&[&LOAD[..], &["--reconnect-timeout", "300ms"]].concat());
    drop(hold(&own).await);
    cluster.stop(Shutdown::Immediate);
    let (status, said) = end_of(child).await;
    assert_eq!(status, Some(3), "{said}");
    assert!(
        said.contains("the same command goes on from there"),
        "{said}"
    );
    own.fails(&LOAD, 3, &[]);
    cluster.start();
    drop(own.connect().await);
    own.succeeds(&LOAD);
    let client = own.connect().await;
    is_whole(&client, "tpcc", 2).await;
}

#[tokio::test]
async fn an_interrupted_load_leaves_whole_units_and_nobody_behind() {
    let own = Own::new(Cluster::shared()).await;
    let child = own.start(&LOAD);
    let holder = hold(&own).await;
    signal(&child, "INT");
    let (status, said) = end_of(child).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("interrupted") && said.contains("the same command goes on"),
        "{said}"
    );
    drop(holder);
    let client = own.connect().await;
    let gone = "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tpcc load')";
    sql::until(&client, gone).await;
    own.succeeds(&LOAD);
    is_whole(&client, "tpcc", 2).await;
    assert!(own.succeeds(&["check"]).contains("12 of 12"));
    discard(own.database).await;
}

#[tokio::test]
async fn what_is_not_ours_is_named_and_left_alone() {
    let own = Own::new(Cluster::shared()).await;
    let client = own.connect().await;
    let role = &own.role;
    let setup = format!(
        "CREATE SCHEMA tpcc AUTHORIZATION {role}; SET ROLE {role}; CREATE TABLE tpcc.warehouse (id int); INSERT INTO tpcc.warehouse VALUES (7)"
    );
    sql::run(&client, &setup).await;
    own.fails(
        &LOAD,
        1,
        &["table warehouse has 1 columns instead of 9", "--schema"],
    );
    own.fails(&["check"], 1, &["holds 1 of the 9 tables", "tpcc load"]);
    own.fails(
        &["drop", "--yes"],
        1,
        &[
            "warehouse",
            "was not made by tpcc load",
            "Nothing was dropped",
        ],
    );
    assert_eq!(
        sql::value(&client, "SELECT id FROM tpcc.warehouse").await,
        "7"
    );

    sql::run(
        &client,
        "DROP TABLE tpcc.warehouse; CREATE VIEW tpcc.warehouse AS SELECT 1 AS w_id",
    )
    .await;
    own.fails(&LOAD, 1, &["table warehouse is a view"]);
    sql::run(
        &client,
        "RESET ROLE; DROP VIEW tpcc.warehouse; DROP SCHEMA tpcc",
    )
    .await;

    own.succeeds(&["load", "--warehouses", "1", "--flavour", "plpgsql"]);
    sql::run(&client, "DELETE FROM tpcc.tpcc_load WHERE part = 'item'").await;
    own.fails(&["check"], 1, &["is loaded in part only", "no items"]);
    own.fails(
        &["load", "--warehouses", "1"],
        1,
        &["item has rows that tpcc load did not write", "TRUNCATE"],
    );
    discard(own.database).await;
}

/// A small disk of its own, in memory.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    /// None where this account may not mount one.
    fn mount(path: std::path::PathBuf) -> Option<SmallDisk> {
        std::fs::create_dir_all(&path).unwrap();
        let disk = SmallDisk(path);
        disk.call("mount", &["-t", "tmpfs", "-o", "size=48m", "tmpfs"])
            .then_some(disk)
    }

    fn grow(&self) {
        assert!(self.call("mount", &["-o", "remount,size=800m"]));
    }

    fn call(&self, program: &str, arguments: &[&str]) -> bool {
        let mut command = Command::new(program);
        command.args(arguments).arg(&self.0).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The server may still have files open there.
        self.call("umount", &["-l"]);
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[tokio::test]
async fn a_full_disk_is_named_and_the_load_goes_on_when_there_is_room() {
    let cluster = Cluster::private();
    let server = cluster.server();
    let Some(disk) = SmallDisk::mount(server.place().dir().with_extension("small")) else {
        eprintln!("skipped: this account may not mount a small disk");
        return;
    };
    server.account().take(&disk.0).unwrap();
    let witness = cluster.witness().await;
    let location = sql::literal(&disk.0.display().to_string());
    sql::run(
        &witness,
        &format!("CREATE TABLESPACE small LOCATION {location}"),
    )
    .await;
    sql::run(&witness, "CREATE DATABASE crowded TABLESPACE small").await;
    let load = || {
        let mut command = cluster.tpcc("crowded", "postgres");
        said(command.args(LOAD).output().unwrap())
    };
    let (status, text) = load();
    assert_eq!(status, Some(1), "{text}");
    for words in ["53100", "Make room", "the same command goes on"] {
        assert!(text.contains(words), "no \"{words}\" in {text}");
    }
    disk.grow();
    let (status, text) = load();
    assert_eq!(status, Some(0), "{text}");
    let client = cluster.connect("crowded", "postgres").await;
    is_whole(&client, "tpcc", 2).await;
    drop((client, witness));
    drop(cluster);
}

#[tokio::test]
async fn absurd_values_are_refused_before_anything_happens() {
    let own = Own::new(Cluster::shared()).await;
    for args in [
        &["load", "--warehouses", "0"][..],
        &["load", "--warehouses", "-1"],
        &["load", "--warehouses", "99999999999"],
        &["load", "--warehouses", "one"],
        &["load", "-c", "0"],
        &["load", "-c", "1000000"],
        &["load", "--tables", "0"],
        &["load", "--tables", "-3"],
        &["load", "--schema", ""],
        &["load", "--schema", "pg_catalog"],
        &["load", "--fillfactor", "stock=5"],
        &["load", "--fillfactor", "stick=50"],
        &["load", "--reconnect-timeout", "-1s"],
        &["load", "--flavour", "other"],
        &["check", "--tables", "0"],
        &["drop", "--tables", "0", "--yes"],
    ] {
        own.fails(args, 2, &[]);
    }
    own.fails(&["load", "-p", "1"], 3, &[]);
    let client = own.connect().await;
    let left = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tpcc%'";
    assert_eq!(sql::value(&client, left).await, "0");
    discard(own.database).await;
}
