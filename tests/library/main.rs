//! The crate, used as a library.
//!
//! No test here starts a process: between fork and exec that would hold the locks of the others.

#[path = "../support/files.rs"]
mod files;
#[path = "../support/manifest.rs"]
mod manifest;
#[path = "../support/share.rs"]
mod share;

mod bits;
mod cluster;
mod exact;
mod format;
mod kept;
mod layering;
mod look_up;
mod oracle;
mod plain;
mod results;
mod segments;
mod solve;
mod verify;
mod witness;
