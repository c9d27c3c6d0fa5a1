//! Tests of the crate as a library.
//!
//! No test here starts a process. Between fork and exec, a child would hold the file locks of other
//! tests.

#[path = "../support/files.rs"]
mod files;
#[path = "../support/manifest.rs"]
mod manifest;
#[path = "../support/read.rs"]
mod read;
#[path = "../support/share.rs"]
mod share;
mod source;

mod bits;
mod cluster;
mod counts;
mod exact;
mod forged;
mod format;
mod kept;
mod layering;
mod look_up;
mod matrices;
mod oracle;
mod plain;
mod results;
mod segments;
mod solve;
mod verify;
