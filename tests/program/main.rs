//! Tests of the program: by itself, in a terminal, on a failing system, on several machines, and
//! with programs that read its output.

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
#[path = "../support/required.rs"]
mod required;
#[path = "../support/share.rs"]
mod share;
mod solved;

mod best;
mod check;
mod cli;
#[path = "../cluster/mod.rs"]
mod cluster;
mod completions;
#[path = "../crash/mod.rs"]
mod crash;
mod directory;
mod golden;
mod graph;
mod memory;
mod outputs;
#[path = "../outside/mod.rs"]
mod outside;
mod play;
mod rate;
mod readme;
mod replay;
mod resources;
mod signals;
mod solve;
mod states;
mod talk;
#[path = "../terminal/mod.rs"]
mod terminal;
mod unsolvable;
mod verify;
mod witness;
