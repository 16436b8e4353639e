//! The `tpcc` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    tpcc::cli::main()
}
