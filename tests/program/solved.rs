//! Games that are counted, and solved.

use tempfile::TempDir;

use crate::command::{good, place};

/// A place with a game in the directory `run`, solved for some objectives.
pub(crate) fn solved(game: &str, objectives: &str) -> TempDir {
    let place = place();
    good(&place, &format!("{game} --keep both --dir run --quiet"));
    good(&place, &format!("solve run --for {objectives} --quiet"));
    place
}

/// A place with a game in the directory `run`, whose afterstates are kept.
pub(crate) fn counted(game: &str) -> TempDir {
    let place = place();
    good(
        &place,
        &format!("{game} --keep afterstates --dir run --quiet"),
    );
    place
}
