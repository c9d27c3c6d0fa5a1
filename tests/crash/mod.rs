//! The program on a failing system: each file operation fails in turn, and kills come at random.
//!
//! Unless it is killed, the program succeeds or reports one error. The same command then ends with
//! the same files, byte for byte. The preloaded library `tests/crash/shim.c` makes operations fail.

#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests make and move files by hand"
)]

mod faults;
mod kills;
mod place;
mod power;
