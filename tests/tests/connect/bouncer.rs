//! PgBouncer in transaction mode, with nothing in its configuration that makes it lenient.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use tests::{Cluster, Database, client, eventually, loaded};

use crate::{must, open};

/// The number in the name of the next socket, beside that of the server.
static PORT: AtomicU16 = AtomicU16::new(54331);

/// A running PgBouncer before the shared cluster.
struct Bouncer {
    process: Child,
    port: u16,
}

impl Bouncer {
    async fn before(database: &Database<'_>) -> Bouncer {
        let server = Cluster::shared().server();
        let folder = server
            .place()
            .dir()
            .join(format!("bouncer-{}", database.name()));
        let port = PORT.fetch_add(1, Ordering::Relaxed);
        let socket_dir = server.place().socket_dir().display();
        fs::create_dir_all(&folder).unwrap();
        let at = folder.display();
        let settings = format!(
            "[databases]\n{} = host={} port={}\n[pgbouncer]\nlisten_port = {port}\n\
             unix_socket_dir = {socket_dir}\nauth_type = trust\nauth_file = {at}/users\n\
             pool_mode = transaction\ndefault_pool_size = 2\n",
            database.name(),
            socket_dir,
            server.port()
        );
        fs::write(folder.join("users"), "\"postgres\" \"\"\n").unwrap();
        fs::write(folder.join("pgbouncer.ini"), settings).unwrap();
        server.account().take(&folder).unwrap();
        let process = server
            .account()
            .command(program())
            .arg("-q")
            .arg(folder.join("pgbouncer.ini"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let bouncer = Bouncer { process, port };
        let text = bouncer.string(database);
        eventually("PgBouncer answers", Duration::from_secs(20), async || {
            open(&text).await.is_ok()
        })
        .await;
        bouncer
    }

    fn string(&self, database: &Database<'_>) -> String {
        format!(
            "host={} port={} user=postgres dbname={}",
            Cluster::shared().server().place().socket_dir().display(),
            self.port,
            database.name()
        )
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        // Gone already is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// `pgbouncer`, whose folder is not on everybody's path.
fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/usr/local/sbin".into()])
        .map(|folder| folder.join("pgbouncer"))
        .find(|program| Path::is_file(program))
        .expect("pgbouncer is not installed: make test does it, or apt-get install pgbouncer")
}

#[tokio::test]
async fn the_conditions_are_checked_through_pgbouncer() {
    let database = loaded(1).await;
    let bouncer = Bouncer::before(&database).await;
    let mut command: Command = client();
    command.args(["check", "-d", &bouncer.string(&database)]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("12 of 12 conditions hold"), "{said}");
}

#[tokio::test]
async fn runs_go_through_pgbouncer_in_the_simple_protocol() {
    let database = loaded(1).await;
    let bouncer = Bouncer::before(&database).await;
    for (mode, flavour) in [
        ("udf", "native"),
        ("statements", "native"),
        ("pipelined", "native"),
        ("udf", "plpgsql"),
    ] {
        let mut command: Command = client();
        command
            .args([
                "run",
                "-M",
                mode,
                "--flavour",
                flavour,
                "--protocol",
                "simple",
            ])
            .args(["-T", "1s", "-c", "3", "-P", "0"])
            .args(["-d", &bouncer.string(&database)]);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{mode}: {said}");
        assert!(!said.contains("errors with"), "{mode}: {said}");
        assert!(!said.contains("\n0 new orders/min"), "{mode}: {said}");
    }
}

#[tokio::test]
async fn the_kind_of_server_is_asked_for_through_pgbouncer() {
    let database = Cluster::shared().fresh_empty_database().await;
    let bouncer = Bouncer::before(&database).await;
    let text = bouncer.string(&database);
    must(&format!("{text} target_session_attrs=read-write")).await;
    must(&format!("{text} target_session_attrs=primary")).await;
    assert!(
        open(&format!("{text} target_session_attrs=standby"))
            .await
            .is_err()
    );
}
