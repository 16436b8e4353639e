//! Passwords: every character, given in every way, shown nowhere.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use tests::client;

use crate::server::{PASSWORD, ROLE, Server};
use crate::{must, refused, run};

/// The client's `check` of a database without data: status 1 says that it got in.
fn check(server: &Server) -> Command {
    let mut command = client();
    command
        .arg("check")
        .env("PGHOST", &server.address)
        .env("PGPORT", server.cluster.server().port().to_string())
        .env("PGUSER", ROLE)
        .env("PGDATABASE", "postgres");
    command
}

fn got_in((status, said): (Option<i32>, String)) {
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("tpcc load"), "{said}");
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test]
async fn every_character_goes_through_strings_and_uris() {
    let server = Server::shared().await;
    must(&server.with_password("")).await;
    let place = format!("{}:{}", server.address, server.cluster.server().port());
    let (role, password) = (encoded(ROLE), encoded(PASSWORD));
    must(&format!("postgres://{role}:{password}@{place}/postgres")).await;
}

#[tokio::test]
async fn the_variable_and_the_files_give_it() {
    let server = Server::shared().await;
    got_in(run(check(server).env("PGPASSWORD", PASSWORD)));

    let escaped = PASSWORD.replace('\\', "\\\\").replace(':', "\\:");
    let line = format!("{}:*:postgres:{ROLE}:{escaped}\n", server.address);
    let text = format!("other:*:*:*:wrong\n{line}*:*:*:*:wrong\n");
    let path = server.file("pgpass", &text, 0o600);
    got_in(run(check(server).env("PGPASSFILE", &path)));

    let open_path = server.file("open.pgpass", &text, 0o644);
    let (status, said) = run(check(server).env("PGPASSFILE", &open_path).arg("-w"));
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("group or world access"), "{said}");
    assert!(said.contains("asks for a password"), "{said}");

    let home = server.path("");
    std::fs::copy(&path, server.path(".pgpass")).unwrap();
    got_in(run(check(server).env("HOME", home)));
    std::fs::remove_file(server.path(".pgpass")).unwrap();
}

#[tokio::test]
async fn it_is_asked_for_on_demand() {
    let server = Server::shared().await;
    // Without a terminal it is a line of standard input.
    let mut command = Command::new("setsid");
    command.arg("--wait");
    let inner = check(server);
    command.arg(inner.get_program()).args(["check", "-W"]);
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    got_in((output.status.code(), said));
}

#[tokio::test]
async fn a_wrong_one_is_told_and_never_shown() {
    let server = Server::shared().await;
    let wrong = "open sesame";
    let (status, said) = run(check(server).env("PGPASSWORD", wrong));
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("password authentication failed"), "{said}");
    assert!(
        said.contains("PGPASSWORD") && !said.contains(wrong),
        "{said}"
    );

    let text = format!("postgres://u:open%20sesame@{}:1/d", server.address);
    let error = refused(&text, "Connection refused").await;
    assert!(
        !format!("{error} {error:?}").contains("sesame"),
        "{error:?}"
    );
    let (status, said) = run(client().args(["check", "-d", "user=u password='open sesame"]));
    assert_eq!(status, Some(2));
    assert!(!said.contains("sesame"), "{said}");
}

#[tokio::test]
async fn a_terminal_is_asked_when_the_server_asks_and_shows_nothing() {
    let server = Server::shared().await;
    let inner = check(server);
    let line = format!("{} check", inner.get_program().display());
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &line, "/dev/null"]);
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut said = Vec::new();
    let mut byte = [0];
    while !said.ends_with(b"Password for user user@host: ") && stdout.read(&mut byte).unwrap() > 0 {
        said.extend(byte);
    }
    stdin.write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
    stdout.read_to_end(&mut said).unwrap();
    let status = child.wait().unwrap().code();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(!said.contains(PASSWORD), "{said}");
    got_in((status, said));
}
