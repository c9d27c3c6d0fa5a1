//! The program in a terminal of its own.

#[path = "../support/command.rs"]
mod command;
mod count;
mod hints;
mod in_use;
mod play;
mod shown;
mod solve;
mod terminal;
