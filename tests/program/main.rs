//! The program, run as a user runs it.

#[path = "../support/command.rs"]
mod command;
mod fed;
#[path = "../support/files.rs"]
mod files;
#[path = "../support/json.rs"]
mod json;
#[path = "../support/manifest.rs"]
mod manifest;
mod outcomes;
mod solved;

mod best;
mod check;
mod cli;
mod completions;
mod directory;
mod golden;
mod graph;
mod memory;
mod outputs;
mod play;
mod rate;
mod readme;
mod replay;
mod resources;
mod signals;
mod solve;
mod states;
mod talk;
mod unsolvable;
mod verify;
mod witness;
