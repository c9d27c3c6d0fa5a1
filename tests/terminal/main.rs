//! The program in a terminal of its own.

mod in_use;
mod play;
mod terminal;
