//! What people see: nothing too wide for a terminal, and no figure without what it is.

use super::*;

/// The widest line, in characters.
const WIDTH: usize = 120;

fn assert_fits(what: &str, text: &str) {
    for line in text.lines() {
        let width = line.chars().count();
        assert!(width <= WIDTH, "{what} is {width} characters wide:\n{line}");
    }
}

#[tokio::test]
async fn nothing_is_wider_than_a_terminal() {
    let database = loaded(1).await;
    let arguments = [
        "-R", "300", "-L", "50ms", "-P", "500ms", "-T", "1s", "-c", "2",
    ];
    let every_mode = ["-M", "all", "-P", "0", "-T", "1s", "-c", "2"];
    for arguments in [&arguments[..], &every_mode] {
        let ended = run(&database, arguments);
        ended.is(0);
        assert_fits("a run's result", &ended.stdout);
        assert_fits("a run's progress", &ended.stderr);
    }
    let probe = ["probe", "-c", "2", "--samples", "50", "--step-time", "50ms"];
    let tpcc = || database.cluster().tpcc(database.name(), "postgres");
    let ended: Ended = tpcc().args(probe).output().unwrap().into();
    ended.is(0);
    // How long the way to the socket is, is the machine's own matter.
    let socket = database.cluster().server().place().socket_dir();
    assert_fits(
        "a probe",
        &ended.stdout.replace(&*socket.to_string_lossy(), ""),
    );
    let ended: Ended = tpcc().arg("check").output().unwrap().into();
    assert_fits("a check", &ended.stdout);
    for verb in [
        "",
        "demo",
        "load",
        "run",
        "report",
        "check",
        "drop",
        "probe",
        "scan run",
        "scan load",
        "tpcb run",
        "tpcb load",
        "oltp run",
        "oltp load",
    ] {
        let mut command = client();
        command.args(verb.split_whitespace()).arg("--help");
        let ended: Ended = command.output().unwrap().into();
        assert_fits(verb, &ended.is(0).stdout);
    }
    discard(database).await;
}

#[tokio::test]
async fn figures_are_named() {
    let database = loaded(1).await;
    let shown = |arguments: &[&str]| run(&database, arguments).is(0).stdout.clone();
    let open = shown(&["-R", "50", "-T", "1s", "-c", "2", "-P", "0"]);
    for word in ["Response times, from when", "Service times, from when"] {
        assert!(open.contains(word), "{open}");
    }
    let all = [
        "-M",
        "all",
        "-T",
        "1s",
        "-c",
        "2",
        "-P",
        "0",
        "--simulate-rtt",
        "1ms",
    ];
    let all = shown(&all);
    for word in [
        "statements (simulated)",
        "pipelined (simulated)",
        "udf (simulated)",
    ] {
        assert!(all.contains(word), "{word}: {all}");
    }
    assert!(!all.contains("server (simulated)"), "{all}");
    // Two connections and a second: five probes each before it, and one or two in it, of which no 99th
    // percentile can be told.
    assert!(open.contains(" probes meanwhile, p50 "), "{open}");
    assert!(!open.contains("p99 0."), "{open}");
    discard(database).await;
}

#[tokio::test]
async fn the_last_line_of_progress_tells_who_worked() {
    let database = loaded(1).await;
    let ended = run(&database, &["-T", "1s", "-c", "2", "-P", "1s"]);
    ended.is(0).says(&["[ 1s ] thds: 2 "]);
    discard(database).await;
}

#[test]
fn times_are_read_or_refused_with_what_was_expected() {
    for (flag, value, words) in [
        ("-T", "abc", "a span of time looks like 10s"),
        (
            "-T",
            "5parsecs",
            "the unit is \"parsecs\": us, ms, s, min or h was expected",
        ),
        ("-T", "0", "longer than 0"),
        ("--duration", "nan", "a span of time looks like 10s"),
    ] {
        let ended: Ended = client().args(["run", flag, value]).output().unwrap().into();
        ended.is(2).says(&["tpcc: ", words]);
    }
}
