//! The program in a terminal of its own.

mod count;
mod hints;
mod in_use;
mod play;
mod shown;
mod solve;
mod typed;
