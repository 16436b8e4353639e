//! A psql that is given one piece of SQL after another.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Result;

const DONE: &str = "-- done --";

/// A running psql in one session.
pub struct Psql {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Psql {
    /// Starts it; the command says where to, and must stop at an error.
    pub fn start(mut command: Command) -> Result<Psql> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("psql has no output")?;
        let mut psql = Psql {
            child,
            input,
            output: BufReader::new(output),
        };
        // With this it is connected.
        psql.run("SELECT 1;")?;
        Ok(psql)
    }

    /// Runs statements, each with its semicolon, to their end.
    ///
    /// # Errors
    /// Where psql has ended, after it has said why on the standard error.
    pub fn run(&mut self, sql: &str) -> Result<()> {
        let input = self.input.as_mut().ok_or("psql has no input")?;
        writeln!(input, "{sql}\n\\echo '{DONE}'")?;
        input.flush()?;
        let mut line = String::new();
        while line.trim_end() != DONE {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err(format!("psql failed in: {sql}").into());
            }
        }
        Ok(())
    }
}

impl Drop for Psql {
    fn drop(&mut self) {
        // The end of its input is the end of psql.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
