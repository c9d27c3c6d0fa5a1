//! What stands for the functions of `unix.rs` on other systems.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};

/// The signals by which people and systems end a program.
pub(super) const ENDING: [i32; 2] = [SIGINT, SIGTERM];

/// There is no such limit.
pub(super) fn handle_file_size_limit() {}

/// There is no such limit.
pub(super) fn address_space() -> Option<u64> {
    None
}

/// A signal cannot be waited for, and ends the process at once: what is temporary stays.
pub(super) fn on_signal(
    _: impl Iterator<Item = i32>,
    _: impl FnOnce(i32) + Send + 'static,
) -> io::Result<()> {
    Ok(())
}

/// No program is continued, for none is stopped.
pub(super) fn note_continued(_: Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
}

/// There are no jobs.
pub(super) fn suspend() -> io::Result<()> {
    Ok(())
}
