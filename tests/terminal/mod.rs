//! Tests of the program in a pseudo-terminal.

mod count;
mod hints;
mod in_use;
mod play;
mod shown;
mod solve;
mod typed;
