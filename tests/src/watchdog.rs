//! What ends a test's server when its process is gone.
//!
//! A static is not dropped at the end of a process, and a killed process runs no code at all. But the
//! kernel closes its pipes: a small shell that waits for the end of one sees every kind of end.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tpcc::cluster::Place;

/// Waits for the end of its standard input, then kills the server of the folder $1 and removes the
/// folder and the socket's ($2); the log is kept as $3.
const SCRIPT: &str = r#"
cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null; then
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
fi
if [ -d "$1" ]; then
    mv -f -- "$1/postgres.log" "$3"
    rm -rf -- "$1" "$2"
fi
"#;

/// Ends the server of one cluster when this value or this process is gone.
pub(crate) struct Watchdog {
    /// Its standard input is the pipe; nothing is ever written to it.
    _shell: Child,
}

impl Watchdog {
    /// Watches over the cluster in this place; at the end its log becomes the file `log`.
    pub(crate) fn over(place: &Place, log: &Path) -> Watchdog {
        let shell = Command::new("sh")
            .args(["-c", SCRIPT, "watchdog"])
            .args([place.dir(), place.socket_dir(), log])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C on the terminal must end the tests, not their watchdog.
            .process_group(0)
            .spawn();
        Watchdog {
            _shell: shell.expect("a shell to end the server after the tests"),
        }
    }
}
