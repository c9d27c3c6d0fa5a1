//! The program on a system that fails: at each operation on a file in turn, and killed at random.
//!
//! Whatever happens, it ends with an answer, and the same command then ends with the same files,
//! byte for byte. `tests/crash/shim.c`, preloaded, stands between the program and its files.

#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests make and move files by hand"
)]

mod faults;
mod kills;
mod place;
mod power;
