//! Other programs read what this one writes: Python and its packages, Graphviz, a browser.
//!
//! Where one of them is missing, its tests say so and pass, except where the environment variable
//! `CI` is set.

mod browser;
mod graph;
mod part_files;
mod player;
mod plots;
mod replay;
mod results;
mod solved;
mod states;
mod values;
