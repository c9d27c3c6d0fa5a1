//! Questions about a solved game, one or one a line.

pub(super) mod solved;
pub(super) mod stdin;
