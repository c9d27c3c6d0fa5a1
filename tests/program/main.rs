//! Tests of the program: by itself, in a terminal, and on a failing system.

#[path = "../support/command.rs"]
mod command;
#[path = "../support/examples.rs"]
mod examples;
#[path = "../support/fed.rs"]
mod fed;
#[path = "../support/files.rs"]
mod files;
#[path = "../support/json.rs"]
mod json;
#[path = "../support/manifest.rs"]
mod manifest;
mod outcomes;
#[path = "../support/read.rs"]
mod read;
#[path = "../support/share.rs"]
mod share;
mod solved;
#[path = "../support/tries.rs"]
mod tries;

mod best;
mod check;
mod cli;
mod completions;
#[path = "../crash/mod.rs"]
mod crash;
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
mod stones;
mod talk;
#[path = "../terminal/mod.rs"]
mod terminal;
mod unsolvable;
mod verify;
mod witness;
