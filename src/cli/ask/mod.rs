//! Questions about a solved game, one or one a line.

pub(super) mod lines;
pub(super) mod solved;
