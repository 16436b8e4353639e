//! How a command ended.

use std::process::{Child, Command, Output};

/// What a command said and how it ended.
pub struct Ended {
    /// Its exit status; none where a signal ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended {
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ended {
    /// Asserts the exit status.
    pub fn is(&self, status: i32) -> &Ended {
        assert_eq!(
            self.status,
            Some(status),
            "{}\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Asserts words on standard error.
    pub fn says(&self, words: &[&str]) -> &Ended {
        for word in words {
            assert!(
                self.stderr.contains(word),
                "\"{}\" does not say \"{word}\"",
                self.stderr
            );
        }
        self
    }

    /// Asserts words on standard output.
    pub fn shows(&self, words: &[&str]) -> &Ended {
        for word in words {
            assert!(
                self.stdout.contains(word),
                "\"{}\" does not show \"{word}\"",
                self.stdout
            );
        }
        self
    }
}

/// Sends a signal by its name: `INT` is Ctrl-C.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args(["-s", name, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}
