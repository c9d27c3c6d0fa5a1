//! The `enum48` program; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    enum48::cli::run()
}
