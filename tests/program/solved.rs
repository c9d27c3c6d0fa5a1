//! Places with counted or solved games.

use tempfile::TempDir;

use crate::command::{good, place};

/// A place with a solved run in `run`.
pub(crate) fn solved(game: &str, objectives: &str) -> TempDir {
    let place = place();
    good(&place, &format!("{game} --keep both --dir run --quiet"));
    good(&place, &format!("solve run --for {objectives} --quiet"));
    place
}

/// A place with a run in `run` that keeps its afterstates.
pub(crate) fn counted(game: &str) -> TempDir {
    let place = place();
    good(
        &place,
        &format!("{game} --keep afterstates --dir run --quiet"),
    );
    place
}
