//! The program in a terminal of its own.

mod count;
mod in_use;
mod play;
mod terminal;
