//! `enum48 play` in a terminal of its own.

mod play;
mod terminal;
