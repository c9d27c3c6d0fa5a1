//! Counting task by task: the files of one machine, whatever happens on the way.

#[path = "../support/command.rs"]
mod command;
#[path = "../support/files.rs"]
mod files;
#[path = "../support/manifest.rs"]
mod manifest;
#[path = "../support/memory.rs"]
mod memory;
#[path = "../outside/required.rs"]
mod required;

mod damage;
#[cfg(unix)]
mod driver;
#[cfg(target_os = "linux")]
mod raylets;
mod tasks;
